import Jobs
import Timing

@testable import Simulation

/// A real queue as a worker sees it: calls and answers get lost, come late, or twice, and every answer is checked.
struct RecordedQueue: JobQueue {
    let real: any JobQueue
    let machine: Machine
    let time: SimulatedTime
    let faults: Faults
    let checks: WorkerChecks
    let ledger: Ledger

    private static let unreachable = JobQueueError(.unavailable, "The simulated connection failed.")

    private func ask<Value: Sendable>(_ call: () async throws -> Value) async throws -> Value {
        guard faults.isQueueUp else {
            try? await time.sleep(for: .milliseconds(50))
            throw Self.unreachable
        }
        let fault = faults.queueFault(of: machine)
        if fault == .late { try? await time.sleep(for: .milliseconds(Int.random(in: 0...1500))) }
        if fault == .requestLost { throw Self.unreachable }
        let value = try await call()
        if fault == .twice { _ = try? await call() }
        if fault == .answerLost { throw Self.unreachable }
        return value
    }

    // MARK: Workers

    func lease(_ limit: Int, only extra: ExtraJobs?, waiting patience: Duration) async throws -> [LeasedJob] {
        let jobs = try await ask {
            try await recorded { try await real.lease(limit, only: extra, waiting: patience) }
        }
        for job in jobs { checks.took(job) }
        return jobs
    }

    func reclaim(_ limit: Int) async throws -> [LeasedJob] {
        let jobs = try await ask { try await recorded { try await real.reclaim(limit) } }
        for job in jobs { checks.took(job) }
        return jobs
    }

    private func recorded(_ take: () async throws -> [LeasedJob]) async throws -> [LeasedJob] {
        let asked = ledger.now
        let jobs = try await take()
        ledger.leased(jobs, by: machine, asked: asked)
        return jobs
    }

    func start(_ lease: Lease) async throws -> Bool {
        checks.begins(lease)
        let isHeld = try await ask { try await real.start(lease) }
        if !isHeld { checks.lost([lease]) }
        return isHeld
    }

    func renew(_ leases: [Lease]) async throws -> [Lease] {
        let lost = try await ask {
            let (asked, latest) = (ledger.now, Set(leases.filter(ledger.isLatest)))
            let lost = try await real.renew(leases)
            for lease in leases where !lost.contains(lease) {
                ledger.renewed(lease, wasLatest: latest.contains(lease), asked: asked)
            }
            return lost
        }
        checks.lost(lost)
        return lost
    }

    func finish(_ lease: Lease, with reply: JobReply) async throws -> Bool {
        checks.answers(lease, reply.status)
        return try await answer(lease, reply) { try await real.finish(lease, with: reply) }
    }

    func deadLetter(_ lease: Lease, with reply: JobReply) async throws -> Bool {
        checks.answers(lease, reply.status)
        return try await answer(lease, reply) { try await real.deadLetter(lease, with: reply) }
    }

    private func answer(_ lease: Lease, _ reply: JobReply, _ call: () async throws -> Bool) async throws -> Bool {
        try await ask {
            let wasLatest = ledger.isLatest(lease)
            let isTaken = try await call()
            if isTaken { ledger.answered(lease, reply, wasLatest: wasLatest, by: machine) }
            return isTaken
        }
    }

    func giveBack(_ leases: [Lease], isBrokenOff: Bool) async throws {
        for lease in leases { checks.gaveBack(lease) }
        ledger.givesBack(leases)
        try await ask { try await real.giveBack(leases, isBrokenOff: isBrokenOff) }
    }

    func leave() async throws {
        ledger.leaves(machine)
        try await ask { try await real.leave() }
    }

    // MARK: Answers that are posted

    func leaseCallbacks(_ limit: Int) async throws -> [LeasedCallback] {
        try await ask { try await real.leaseCallbacks(limit) }
    }

    func finishCallback(_ lease: Lease) async throws { try await ask { try await real.finishCallback(lease) } }

    func postponeCallback(_ lease: Lease, by delay: Duration, isFailure: Bool) async throws {
        try await ask { try await real.postponeCallback(lease, by: delay, isFailure: isFailure) }
    }

    func state(of name: JobName, waiting patience: Duration) async throws -> JobState {
        try await ask { try await real.state(of: name, waiting: patience) }
    }
}

// Calls that no worker makes.
extension RecordedQueue {
    func enqueue(_ job: Job) async throws -> Enqueued { try await real.enqueue(job) }
    func cancel(_ name: JobName) async throws -> Cancellation { try await real.cancel(name) }
    func status() async throws -> QueueStatus { try await real.status() }
    func report(_ report: WorkerReport) async throws { try await real.report(report) }
    func load() async throws -> (load: QueueLoad, scaling: String?) { try await real.load() }
    func storeScaling(_ text: String, replacing former: String?) async throws -> Bool {
        try await real.storeScaling(text, replacing: former)
    }
    func jobs(_ limit: Int) async throws -> [JobSummary] { try await real.jobs(limit) }
    func deadLetters(_ limit: Int) async throws -> [DeadLetter] { try await real.deadLetters(limit) }
    func retryDeadLetter(_ name: JobName) async throws -> Enqueued? { try await real.retryDeadLetter(name) }
    func purgeDeadLetters() async throws -> Int { try await real.purgeDeadLetters() }
}
