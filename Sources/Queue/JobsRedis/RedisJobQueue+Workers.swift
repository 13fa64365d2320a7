import Base
package import Jobs
import Media

// MARK: - Jobs

extension RedisJobQueue {
    /// The end of a reply if another call would find more.
    private static let more = "more"

    package func lease(
        _ limit: Int,
        only extra: ExtraJobs?,
        waiting waitTime: Duration,
    ) async throws -> [LeasedJob] {
        guard limit > 0 else { return [] }
        let deadline = time.now + waitTime
        try await readClock()
        let arguments = [worker, "\(limit)"] + (extra?.words ?? [])
        while true {
            try Task.checkCancellation()
            let waiting = try await taking {
                while true {
                    let asked = self.time.now
                    let reply = try await self.run(.lease, arguments)
                    let jobs = try await self.jobs(in: reply, asked: asked)
                    guard jobs.isEmpty, reply.elements?.last?.text == Self.more else { return jobs }
                }
            }
            let remaining = deadline - time.now
            guard waiting.isEmpty, remaining > .zero else { return waiting }
            guard extra == nil else {
                // A read would take entries whenever they are due.
                try await time.sleep(for: min(remaining, Self.readTime))
                continue
            }
            let new = try await taking { try await self.read(limit, blocking: min(remaining, Self.readTime)) }
            guard new.isEmpty else { return new }
        }
    }

    package func reclaim(_ limit: Int) async throws -> [LeasedJob] {
        guard limit > 0 else { return [] }
        let arguments = [worker, "\(limit)", "\(limits.leaseTime.milliseconds)"]
        return try await taking {
            let asked = self.time.now
            return try await self.jobs(in: self.run(.reclaim, arguments), asked: asked)
        }
    }

    package func start(_ lease: Lease) async throws -> Bool {
        try await isDone(.start, lease)
    }

    package func renew(_ leases: [Lease]) async throws -> [Lease] {
        guard !leases.isEmpty else { return [] }
        let lost = try await run(.renew, [worker] + Self.words(leases)).elements?.map(\.integer)
        guard let lost else { throw Self.invalidReply("an invalid answer to a renewal") }
        return try lost.map { index in
            guard let index, leases.indices.contains(index) else {
                throw Self.invalidReply("an invalid answer to a renewal")
            }
            return leases[index]
        }
    }

    package func finish(_ lease: Lease, with reply: JobReply) async throws -> Bool {
        try await isDone(.finish, lease, reply)
    }

    package func deadLetter(_ lease: Lease, with reply: JobReply) async throws -> Bool {
        try await isDone(.deadLetter, lease, reply)
    }

    package func giveBack(_ leases: [Lease], isBrokenOff: Bool) async throws {
        guard !leases.isEmpty else { return }
        try await run(.giveBack, [worker, isBrokenOff ? "1" : "0"] + Self.words(leases))
    }

    private func isDone(_ script: Script, _ lease: Lease, _ reply: JobReply? = nil) async throws -> Bool {
        var arguments = ([worker] + Self.words([lease])).map { Array($0.utf8) }
        if let reply {
            arguments += [
                Array(reply.status.rawValue.utf8), reply.body, Array("\(limits.replyTime.milliseconds)".utf8),
            ]
        }
        return try await run(script, arguments).integer == 1
    }

    private static func words(_ leases: [Lease]) -> [String] { leases.flatMap { [$0.entry, "\($0.fence)"] } }

    /// Takes entries to the end even if the task is cancelled: jobs in an unread reply would wait until their leases
    /// end.
    private func taking(
        _ jobs: @Sendable @escaping () async throws -> [LeasedJob]
    ) async throws -> [LeasedJob] {
        let taken = try await Task { try await jobs() }.value
        if Task.isCancelled {
            // If this fails, too, another worker reclaims them.
            _ = await Task { try await self.giveBack(taken.map(\.lease)) }.result
            throw CancellationError()
        }
        return taken
    }

    /// Waits for new entries. Redis applies the count to each of the two streams.
    private func read(_ limit: Int, blocking wait: Duration) async throws -> [LeasedJob] {
        let keys = Job.Priority.allCases.map { "\(settings.prefix)jobs:\($0.stream)" }
        let counts = ["COUNT", "\(max(1, limit / 2))", "BLOCK", "\(max(1, wait.milliseconds))"]
        let read = RedisCommand(["XREADGROUP", "GROUP", "workers", worker] + counts + ["STREAMS"] + keys + [">", ">"])
        let asked = time.now
        let replies = try await replies(to: [read, RedisCommand("TIME")], on: reads, blocking: wait)
        guard let streams = replies[0].elements, let clock = serverClock(time: replies[1], asked: asked) else {
            throw Self.invalidReply("an invalid list of jobs")
        }
        var entries: [RedisReply] = []
        for stream in streams {
            guard let parts = stream.elements, parts.count == 2,
                let priority = Job.Priority.allCases.first(where: { keys[$0.rawValue] == parts[0].text }),
                let new = parts[1].elements
            else { throw Self.invalidReply("an invalid list of jobs") }
            for entry in new {
                guard let pair = entry.elements, pair.count == 2, let id = pair[0].text else {
                    throw Self.invalidReply("an entry without a name")
                }
                entries.append(.array([.status("\(priority.stream)/\(id)"), .integer(1), .integer(0), pair[1]]))
            }
        }
        let jobs = try await jobs(in: entries, clock)
        try await giveBack(jobs.dropFirst(limit).map(\.lease))
        return Array(jobs.prefix(limit))
    }

    /// Returns the jobs in a reply to a request that was sent at `asked`. It has the server's time and then the entries.
    private func jobs(in reply: RedisReply, asked: Instant) async throws -> [LeasedJob] {
        guard let elements = reply.elements, let clock = serverClock(elements.first, asked: asked) else {
            throw Self.invalidReply("an invalid list of jobs")
        }
        return try await jobs(in: elements.dropFirst().filter { $0.text != Self.more }, clock)
    }

    /// Returns the jobs in entries, which have names, fences, starts and fields. Answers entries that are not jobs.
    private func jobs(in entries: some Collection<RedisReply>, _ clock: ServerClock) async throws -> [LeasedJob] {
        var jobs: [LeasedJob] = []
        for element in entries {
            guard let parts = element.elements, parts.count == 4, let entry = parts[0].text,
                let fence = parts[1].integer, let starts = parts[2].integer,
                let priority = Job.Priority(stream: entry.prefix(2)),
                let enqueued = clock.instant(ofEntry: entry.dropFirst(3))
            else { throw Self.invalidReply("an entry without a name") }
            let lease = Lease(entry: entry, fence: fence)
            guard let job = EntryFields(parts[3])?.job(priority: priority) else {
                let reason = "The entry is not a job. It needs the fields j, b and y, and valid values in all others."
                _ = try await finish(lease, with: JobReply(.failed, body: Array(reason.utf8)))
                recorder.record(.invalidEntry(entry))
                continue
            }
            let deadline = enqueued + job.timeLimit
            jobs.append(LeasedJob(lease: lease, job: job, deadline: deadline, enqueued: enqueued, starts: starts))
        }
        return jobs
    }
}

extension ExtraJobs {
    /// The arguments of the script `lease`: the time, then pairs of a priority and a tenant.
    fileprivate var words: [String] {
        ["\(dueWithin.milliseconds)"] + tenants.flatMap { priority, names in names.flatMap { [priority.stream, $0] } }
    }
}

// MARK: - Callbacks

extension RedisJobQueue {
    package func leaseCallbacks(_ limit: Int) async throws -> [LeasedCallback] {
        guard limit > 0 else { return [] }
        // An unconfirmed lease would count as an attempt, although nothing was posted.
        try await confirm()
        let asked = time.now
        let reply = try await run(.leaseCallbacks, ["\(limit)", "\(limits.callbackTime.milliseconds)"])
        guard let elements = reply.elements, let clock = serverClock(elements.first, asked: asked) else {
            throw Self.invalidReply("an invalid list of callbacks")
        }
        var callbacks: [LeasedCallback] = []
        for element in elements.dropFirst() {
            guard let parts = element.elements, parts.count == 3, let entry = parts[0].text,
                let fence = parts[1].integer, LeasedCallback.sensibleCounts.contains(fence)
            else { throw Self.invalidReply("an invalid callback") }
            let lease = Lease(entry: entry, fence: fence)
            if let callback = Self.callback(parts[2], lease, clock) {
                callbacks.append(callback)
            } else {
                // An entry that another program wrote must not block the others.
                try await finishCallback(lease)
            }
        }
        return callbacks
    }

    private static func callback(_ reply: RedisReply, _ lease: Lease, _ clock: ServerClock) -> LeasedCallback? {
        guard let fields = EntryFields(reply), let name = fields.name, let url = fields.text("cb"),
            url.utf8.count <= Job.callbackByteLimit,
            let status = fields.text("s").flatMap(JobReply.Status.init), let failures = fields.integer("failures"),
            LeasedCallback.sensibleCounts.contains(failures),
            let answered = fields.integer("at").flatMap(clock.instant)
        else { return nil }
        return LeasedCallback(
            lease: lease,
            name: name,
            url: url,
            reply: JobReply(status, body: fields.bytes("y")),
            trace: fields.trace,
            failures: failures,
            // Both leases and failures raise the fence.
            attempt: max(1, lease.fence - failures),
            answered: answered,
        )
    }

    package func finishCallback(_ lease: Lease) async throws {
        try await run(.finishCallback, [lease.entry, "\(lease.fence)"])
    }

    package func postponeCallback(_ lease: Lease, by delay: Duration, isFailure: Bool) async throws {
        let delay = "\(max(0, delay.milliseconds))"
        try await run(.postponeCallback, [lease.entry, "\(lease.fence)", delay, isFailure ? "1" : "0"])
    }
}
