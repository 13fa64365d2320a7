import Base
import Jobs
import Media

/// The queue as a worker sees it, over its connection.
struct SimulatedQueue: JobQueue {
    let line: QueueLine
    let time: SimulatedTime
    let checks: WorkerChecks
    let knowledge: ForgetChecks.Knowledge

    // MARK: Workers

    func lease(_ limit: Int, only extra: ExtraJobs?, waiting patience: Duration) async throws -> [LeasedJob] {
        let machine = line.machine
        if !line.clock.isKnown { _ = try await taking { try await line.ask { $1(Leased([], at: $0.now)) } } }
        return try await taking {
            try await line.ask(waiting: patience) { server, answer in
                server.lease(limit, only: extra, for: machine, waiting: patience) { answer(Leased($0, at: server.now)) }
            }
        }
    }

    func reclaim(_ limit: Int) async throws -> [LeasedJob] {
        try await taking {
            try await line.ask { server, answer in
                answer(Leased(server.reclaim(limit), at: server.now))
            }
        }
    }

    /// Takes jobs to the end even if the task is cancelled, like the client of Redis.
    private func taking(_ ask: @Sendable () async throws -> Leased) async throws -> [LeasedJob] {
        let asked = time.now
        let leased = try await ask()
        if Task.isCancelled {
            try? await giveBack(leased.jobs.map { Lease(entry: "\($0.number)", fence: $0.entry.fence) })
            throw CancellationError()
        }
        let read = line.clock.instant(of: leased.time, asked: asked, received: time.now)
        let offset = read.sinceOrigin - leased.time
        return leased.jobs.map { number, entry in
            let job = LeasedJob(
                lease: Lease(entry: "\(number)", fence: entry.fence),
                job: entry.job,
                deadline: Instant(sinceOrigin: entry.deadline + offset),
                enqueued: Instant(sinceOrigin: entry.enqueued + offset),
                starts: entry.starts,
            )
            checks.took(job, due: entry.deadline)
            return job
        }
    }

    func start(_ lease: Lease) async throws -> Bool {
        checks.begins(lease)
        let isHeld = try await line.ask { server, answer in answer(server.change { $0.start(lease) }) }
        if isHeld { checks.starts(lease) } else { checks.lost([lease]) }
        return isHeld
    }

    func renew(_ leases: [Lease]) async throws -> [Lease] {
        let lost = try await line.ask { server, answer in
            answer(server.renew(leases))
        }
        checks.lost(lost)
        return lost
    }

    func finish(_ lease: Lease, with reply: JobReply) async throws -> Bool {
        let machine = line.machine
        let breach = line.server.forgets.breach(lease, reply, begun: checks.started(lease), knowledge)
        checks.answers(lease, reply.status)
        return try await line.ask { server, answer in
            let isTaken = server.finish(lease, with: reply, by: machine)
            if isTaken { server.forgets.accepted("lease \(lease.entry)", breach) }
            answer(isTaken)
        }
    }

    func deadLetter(_ lease: Lease, with reply: JobReply) async throws -> Bool {
        let machine = line.machine
        checks.answers(lease, reply.status)
        return try await line.ask { server, answer in answer(server.deadLetter(lease, with: reply, by: machine)) }
    }

    func giveBack(_ leases: [Lease], isBrokenOff: Bool) async throws {
        for lease in leases { checks.gaveBack(lease) }
        try await line.ask { server, answer in answer(server.giveBack(leases, isBrokenOff: isBrokenOff)) }
    }

    func leave() async throws {}

    // MARK: Answers that are posted

    func leaseCallbacks(_ limit: Int) async throws -> [LeasedCallback] {
        let asked = time.now
        let (now, leased) = try await line.ask { server, answer in
            answer((server.now, server.change { $0.leaseCallbacks(limit, at: server.now) }))
        }
        let offset = line.clock.instant(of: now, asked: asked, received: time.now).sinceOrigin - now
        return leased.map { number, callback in
            LeasedCallback(
                lease: Lease(entry: "\(number)", fence: callback.attempt),
                name: callback.name,
                url: callback.url,
                reply: callback.reply,
                trace: nil,
                failures: callback.failures,
                attempt: callback.attempt,
                answered: Instant(sinceOrigin: callback.answered + offset),
            )
        }
    }

    func finishCallback(_ lease: Lease) async throws {
        try await line.ask { server, answer in answer(server.change { $0.finishCallback(lease) }) }
    }

    func postponeCallback(_ lease: Lease, by delay: Duration, isFailure: Bool) async throws {
        try await line.ask { server, answer in
            answer(server.change { $0.postpone(lease, by: delay, isFailure: isFailure, at: server.now) })
        }
    }
}

/// Leased entries, and the time of the server's clock then.
struct Leased: Sendable {
    var jobs: [(number: Int, entry: QueueState.Entry)]
    var time: Duration

    init(_ jobs: [(number: Int, entry: QueueState.Entry)], at time: Duration) {
        self.jobs = jobs
        self.time = time
    }
}

// Calls that no worker makes.
extension SimulatedQueue {
    func enqueue(_ job: Job) async throws -> Enqueued {
        try await line.ask { server, answer in answer(server.enqueue(job)) }
    }
    func state(of name: JobName, waiting patience: Duration) async throws -> JobState {
        try await line.ask { server, answer in
            answer(server.state.replies[name].map { .finished($0) } ?? .unknown)
        }
    }
    func cancel(_ name: JobName) async throws -> Cancellation {
        try await line.ask { server, answer in answer(server.cancel(name)) }
    }
    func status() async throws -> QueueStatus { QueueStatus() }
    func report(_ report: WorkerReport) async throws {}
    func load() async throws -> (load: QueueLoad, scaling: String?) { (QueueLoad(now: 0), nil) }
    func storeScaling(_ text: String, replacing former: String?) async throws -> Bool { true }
    func jobs(_ limit: Int) async throws -> [JobSummary] { [] }
    func deadLetters(_ limit: Int) async throws -> [DeadLetter] { [] }
    func retryDeadLetter(_ name: JobName) async throws -> Enqueued? { nil }
    func purgeDeadLetters() async throws -> Int { 0 }
    func forget(_ jobs: ForgottenJobs) async throws -> Int { 0 }
}
