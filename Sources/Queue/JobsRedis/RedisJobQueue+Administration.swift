import Base
package import Jobs
import Media
import Synchronization

// MARK: - Administration

extension RedisJobQueue {
    /// The maximum number of jobs that are read for a listing.
    static let listLimit = 10_000
    /// The number of dead letters that a search reads at once.
    static let page = 100

    package func status() async throws -> QueueStatus {
        let numbers = try await run(.status, [String]()).elements?.compactMap(\.integer) ?? []
        let sane = -1...ServerClock.latest
        guard numbers.count == 6, numbers.allSatisfy(sane.contains) else {
            throw Self.invalidReply("an invalid status")
        }
        let isShort = numbers[5] == 1
        if isShortOfMemory.exchange(isShort, ordering: .relaxed) != isShort {
            recorder.record(.warningsChanged(warnings))
        }
        return QueueStatus(
            waiting: numbers[0],
            running: numbers[1],
            dead: numbers[2],
            callbacks: numbers[3],
            oldestWaiting: numbers[4] < 0 ? nil : .milliseconds(numbers[4]),
        )
    }

    /// Returns the oldest jobs of the queue, sorted by deadline. Streams can only be read in the order of their
    /// entries.
    package func jobs(_ limit: Int) async throws -> [JobSummary] {
        guard limit > 0 else { return [] }
        let count = min(max(limit, Self.page), Self.listLimit)
        let jobs = try await run(.jobs, ["\(count)"]).elements ?? []
        return try jobs.map { element throws(JobQueueError) in
            guard let parts = element.elements, parts.count == 5, let id = parts[0].text, let tenant = parts[1].text,
                let remaining = parts[2].integer, (-ServerClock.latest...ServerClock.latest).contains(remaining),
                let starts = parts[3].integer, let isRunning = parts[4].integer
            else { throw Self.invalidReply("an invalid job") }
            return JobSummary(
                name: JobName(id: id, tenant: tenant),
                isRunning: isRunning == 1,
                remaining: .milliseconds(remaining),
                starts: starts,
            )
        }
        .sorted { $0.remaining < $1.remaining }
        .prefix(limit)
        .map { $0 }
    }

    package func deadLetters(_ limit: Int) async throws -> [DeadLetter] {
        guard limit > 0 else { return [] }
        return try await deadLetters(limit, before: "+").compactMap(\.letter)
    }

    package func retryDeadLetter(_ name: JobName) async throws -> Enqueued? {
        var end = "+"
        while true {
            let letters = try await deadLetters(Self.page, before: end)
            if let found = letters.first(where: { $0.letter?.job.name == name }) {
                let reply = try await run(.retry, [found.id])
                return reply == .null ? nil : try enqueued(reply)
            }
            guard let last = letters.last, letters.count == Self.page else { return nil }
            end = "(\(last.id)"
        }
    }

    package func purgeDeadLetters() async throws -> Int {
        try await run(.purge, [String]()).integer ?? 0
    }

    package func forget(_ jobs: ForgottenJobs) async throws -> Int {
        var count = 0
        for place in ["hi", "lo", "dead"] {
            var start = "-"
            while !start.isEmpty {
                let (next, removed) = try await forget(jobs, in: place, [start])
                count += removed
                start = next
            }
        }
        let entries = try await elements(of: RedisCommand("ZRANGE", "\(settings.prefix)callbacks", "0", "-1"))
        for start in stride(from: 0, to: entries.count, by: Self.page) {
            let page = entries[start..<min(entries.count, start + Self.page)]
            count += try await forget(jobs, in: "callbacks", Array(page)).removed
        }
        for key in try await resultKeys(of: jobs) {
            let reply = try await replies(to: [RedisCommand("DEL", key)], on: commands, repeatable: true)[0]
            count += reply.integer ?? 0
        }
        return count
    }

    /// Removes jobs from a page of a place. Returns the start of the next page, or an empty text after the last one.
    private func forget(_ jobs: ForgottenJobs, in place: String, _ page: [String]) async throws
        -> (next: String, removed: Int)
    {
        let reply = try await run(.forget, [jobs.tenant, jobs.id ?? "", place] + page).elements
        guard let reply, reply.count == 2, let next = reply[0].text, let removed = reply[1].integer else {
            throw Self.invalidReply("an invalid answer to a removal")
        }
        return (next, removed)
    }

    private func resultKeys(of jobs: ForgottenJobs) async throws -> [String] {
        if case .one(let name) = jobs { return [resultKey(name)] }
        let pattern = resultKey(JobName(id: "*", tenant: jobs.tenant))
        var (keys, cursor): ([String], String) = ([], "0")
        repeat {
            let scan = RedisCommand("SCAN", cursor, "MATCH", pattern, "COUNT", "1000")
            guard let reply = try await replies(to: [scan], on: commands, repeatable: true)[0].elements,
                reply.count == 2,
                let next = reply[0].text, let found = reply[1].elements
            else { throw Self.invalidReply("an invalid list of results") }
            keys += found.compactMap(\.text)
            cursor = next
        } while cursor != "0"
        return keys
    }

    private func elements(of command: RedisCommand) async throws -> [String] {
        guard let reply = try await replies(to: [command], on: commands, repeatable: true)[0].elements else {
            throw Self.invalidReply("an invalid list of answers to post")
        }
        return reply.compactMap(\.text)
    }

    /// Returns dead letters and their ids in the stream, newest first. A letter that cannot be read is `nil`.
    private func deadLetters(_ limit: Int, before end: String) async throws -> [(id: String, letter: DeadLetter?)] {
        let read = RedisCommand("XREVRANGE", "\(settings.prefix)dead", end, "-", "COUNT", "\(limit)")
        let asked = time.now
        let replies = try await replies(to: [read, RedisCommand("TIME")], on: commands, repeatable: true)
        let now = time.now
        guard let entries = replies[0].elements, let clock = serverClock(time: replies[1], asked: asked) else {
            throw Self.invalidReply("an invalid list of dead letters")
        }
        return try entries.map { entry in
            guard let pair = entry.elements, pair.count == 2, let id = pair[0].text, let fields = EntryFields(pair[1]),
                let deadLettered = clock.instant(ofEntry: id[...])
            else { throw Self.invalidReply("an invalid dead letter") }
            let stream = fields.text("entry")?.prefix(2) ?? ""
            let letter = fields.job(priority: Job.Priority(stream: stream) ?? .high).map { job in
                DeadLetter(job: job, starts: fields.integer("starts") ?? 0, age: max(.zero, now - deadLettered))
            }
            return (id, letter)
        }
    }
}

// MARK: - Scaling

extension RedisJobQueue {
    package func report(_ report: WorkerReport) async throws {
        let rate = report.jobsPerSecond.map { "\($0)" } ?? ""
        let lifetime = "\(WorkerReport.lifetime.milliseconds)"
        try await run(.report, [worker, lifetime, "\(report.slots)", "\(report.running)", rate])
    }

    package func load() async throws -> (load: QueueLoad, scaling: String?) {
        let horizons = QueueLoad.horizons.map { "\($0.milliseconds)" }
        let reply = try await run(.load, [worker] + horizons)
        guard let parts = reply.elements, parts.count == 8, let scaling = parts[5].text,
            let due = parts[6].elements?.map(\.integer), due.count == horizons.count, let workers = parts[7].elements
        else { throw Self.invalidReply("an invalid load") }
        let numbers = parts[..<5].compactMap(\.integer) + due.compactMap(\.self)
        guard numbers.count == 5 + due.count, numbers.allSatisfy((0...ServerClock.latest).contains) else {
            throw Self.invalidReply("an invalid load")
        }
        let load = QueueLoad(
            now: numbers[0],
            due: zip(QueueLoad.horizons, numbers[5...]).map { QueueLoad.Due(within: $0, count: $1) },
            waiting: numbers[1],
            running: numbers[2],
            callbacks: numbers[3],
            arrived: numbers[4],
            workers: workers.compactMap(Self.report),
        )
        return (load, scaling.isEmpty ? nil : scaling)
    }

    /// Reads a worker's report. Returns `nil` if another program wrote it.
    private static func report(_ reply: RedisReply) -> WorkerReport? {
        guard let fields = reply.elements, fields.count == 3, let slots = fields[0].text.flatMap({ Int($0) }),
            let running = fields[1].text.flatMap({ Int($0) }), LeasedCallback.sensibleCounts.contains(slots),
            LeasedCallback.sensibleCounts.contains(running)
        else { return nil }
        let rate = fields[2].text.flatMap { Double($0) }.flatMap { rate in
            WorkerReport.sensibleRates.contains(rate) ? rate : nil
        }
        return WorkerReport(slots: slots, running: running, jobsPerSecond: rate)
    }

    package func storeScaling(_ text: String, replacing former: String?) async throws -> Bool {
        try await run(.storeScaling, [former ?? "", text]).integer == 1
    }
}
