/// Jobs on their way from producers to workers: each is answered exactly once.
///
/// A job is leased, not taken: a worker that dies or hangs loses it to another one when its lease ends. Every change is
/// durable, as far as the queue promises, once the call returns. Calls may be made from any task, many at once; the queue
/// groups them. A cancelled call throws `CancellationError`, and its change may have been made or not.
package protocol JobQueue: Sendable {
    // MARK: For producers

    /// Adds `job`, unless its name is known or the queue is full.
    func enqueue(_ job: Job) async throws -> Enqueued

    /// Where a job stands; waits up to `patience` for its answer.
    func state(of name: JobName, waiting patience: Duration) async throws -> JobState

    /// Takes a job back that no worker has leased. Its answer is `cancelled`.
    func cancel(_ name: JobName) async throws -> Cancellation

    // MARK: For workers

    /// Up to `limit` waiting jobs, high priority and early deadlines first as far as the queue can tell; those whose
    /// deadline has passed too, for they want an answer. Waits up to `patience` for the first.
    func lease(_ limit: Int, waiting patience: Duration) async throws -> [LeasedJob]

    /// Up to `limit` jobs whose worker let its lease end: it died, or hangs.
    func reclaim(_ limit: Int) async throws -> [LeasedJob]

    /// Notes that work on a job begins now. `false`: the lease is lost, leave the job alone.
    func start(_ lease: Lease) async throws -> Bool

    /// Makes leases hold for their full time from now. What comes back are those that are lost.
    func renew(_ leases: [Lease]) async throws -> [Lease]

    /// Answers a job. `false`: somebody else did, or has it now; this answer goes nowhere.
    func finish(_ lease: Lease, with reply: JobReply) async throws -> Bool

    /// Answers a job that kills its workers, and puts it among the dead letters. `false` as for `finish`.
    func deadLetter(_ lease: Lease, with reply: JobReply) async throws -> Bool

    /// Lets any worker have jobs that were not started, at once: by `lease` or by `reclaim`.
    func giveBack(_ leases: [Lease]) async throws

    /// Tells the queue that this worker leases no more. Jobs that it still has are reclaimed. Call it last.
    func leave() async throws

    // MARK: Answers that are posted

    /// Up to `limit` callbacks whose time has come. These leases hold for the queue's `callbackTime` and aren't renewed.
    func leaseCallbacks(_ limit: Int) async throws -> [LeasedCallback]

    /// The callback was received, or is given up.
    func finishCallback(_ lease: Lease) async throws

    /// The callback is tried again after `delay`: it failed, or its server had no time for it, which counts as no try.
    func postponeCallback(_ lease: Lease, by delay: Duration, isFailure: Bool) async throws

    // MARK: For people

    /// What is wrong with the queue now, and doesn't keep it from working.
    var troubles: Set<QueueTrouble> { get }

    func status() async throws -> QueueStatus

    /// The jobs that wait or are worked on, earliest deadline first.
    func jobs(_ limit: Int) async throws -> [JobSummary]

    /// The latest dead letters, newest first.
    func deadLetters(_ limit: Int) async throws -> [DeadLetter]

    /// Enqueues a dead letter again under its name, as if it had never been answered. `nil` if there is none. It stays a
    /// dead letter unless it is accepted.
    func retryDeadLetter(_ name: JobName) async throws -> Enqueued?

    /// Forgets all dead letters. How many there were.
    func purgeDeadLetters() async throws -> Int
}

extension JobQueue {
    package var troubles: Set<QueueTrouble> { [] }
}

/// What became of a job that was handed over.
package enum Enqueued: Sendable, Equatable {
    case accepted
    /// A job of that name waits or is worked on.
    case known
    /// A job of that name was answered already, with this.
    case finished(JobReply)
    /// The queue, or the tenant's share of it, is full. Nothing was added.
    case busy
}

/// What became of a job that was to be taken back.
package enum Cancellation: Sendable, Equatable {
    case cancelled, running, finished, unknown
}
