import Jobs
import Synchronization

/// A queue that is sometimes unreachable.
final class UnreliableQueue: JobQueue {
    private let queue: any JobQueue
    private let failures: Atomic<Int>
    private let lostReplies: Atomic<Int>

    /// Wraps `queue`. The next `failures` answers to jobs fail. Of `lostReplies` more, the queue takes the answer, and
    /// the worker does not hear of it.
    init(_ queue: any JobQueue, failures: Int = 0, lostReplies: Int = 0) {
        self.queue = queue
        self.failures = Atomic(failures)
        self.lostReplies = Atomic(lostReplies)
    }

    func finish(_ lease: Lease, with reply: JobReply) async throws -> Bool {
        guard failures.wrappingSubtract(1, ordering: .relaxed).oldValue <= 0 else {
            throw JobQueueError(.unavailable, "It can't be reached.")
        }
        let isTaken = try await queue.finish(lease, with: reply)
        guard lostReplies.wrappingSubtract(1, ordering: .relaxed).oldValue <= 0 else {
            throw JobQueueError(.unavailable, "The reply was lost.")
        }
        return isTaken
    }

    func enqueue(_ job: Job) async throws -> Enqueued { try await queue.enqueue(job) }
    func state(of name: JobName, waiting patience: Duration) async throws -> JobState {
        try await queue.state(of: name, waiting: patience)
    }
    func cancel(_ name: JobName) async throws -> Cancellation { try await queue.cancel(name) }
    func lease(_ limit: Int, only extra: ExtraJobs?, waiting patience: Duration) async throws -> [LeasedJob] {
        try await queue.lease(limit, only: extra, waiting: patience)
    }
    func reclaim(_ limit: Int) async throws -> [LeasedJob] { try await queue.reclaim(limit) }
    func start(_ lease: Lease) async throws -> Bool { try await queue.start(lease) }
    func renew(_ leases: [Lease]) async throws -> [Lease] { try await queue.renew(leases) }
    func deadLetter(_ lease: Lease, with reply: JobReply) async throws -> Bool {
        try await queue.deadLetter(lease, with: reply)
    }
    func giveBack(_ leases: [Lease], isBrokenOff: Bool) async throws {
        try await queue.giveBack(leases, isBrokenOff: isBrokenOff)
    }
    func leave() async throws { try await queue.leave() }
    func leaseCallbacks(_ limit: Int) async throws -> [LeasedCallback] { try await queue.leaseCallbacks(limit) }
    func finishCallback(_ lease: Lease) async throws { try await queue.finishCallback(lease) }
    func postponeCallback(_ lease: Lease, by delay: Duration, isFailure: Bool) async throws {
        try await queue.postponeCallback(lease, by: delay, isFailure: isFailure)
    }
    func report(_ report: WorkerReport) async throws { try await queue.report(report) }
    func load() async throws -> (load: QueueLoad, scaling: String?) { try await queue.load() }
    func storeScaling(_ text: String, replacing former: String?) async throws -> Bool {
        try await queue.storeScaling(text, replacing: former)
    }
    func status() async throws -> QueueStatus { try await queue.status() }
    func jobs(_ limit: Int) async throws -> [JobSummary] { try await queue.jobs(limit) }
    func deadLetters(_ limit: Int) async throws -> [DeadLetter] { try await queue.deadLetters(limit) }
    func retryDeadLetter(_ name: JobName) async throws -> Enqueued? { try await queue.retryDeadLetter(name) }
    func purgeDeadLetters() async throws -> Int { try await queue.purgeDeadLetters() }
    func forget(_ jobs: ForgottenJobs) async throws -> Int { try await queue.forget(jobs) }
}
