/// The part of a queue that is for inspection.
package protocol QueueListing: Sendable {
    func status() async throws -> QueueStatus

    /// Returns the state of a job.
    func state(of name: JobName) async throws -> JobState

    /// Returns jobs that wait or are in progress, earliest deadline first.
    func jobs(_ limit: Int) async throws -> [JobSummary]

    /// Returns the latest dead letters, newest first.
    func deadLetters(_ limit: Int) async throws -> [DeadLetter]
}

/// A queue of jobs between producers and workers. It answers each job exactly once.
///
/// A worker leases a job. If the worker dies or hangs, the lease ends and another worker can reclaim the job. When a
/// call returns, its change is as durable as the queue promises. Any task may call these methods, many at once; the
/// queue groups concurrent changes. A cancelled call throws `CancellationError`; its change may or may not have been
/// made.
package protocol JobQueue: QueueListing {
    // MARK: For producers

    /// Adds `job`, unless its name is known or the queue is full.
    func enqueue(_ job: Job) async throws -> Enqueued

    /// Returns the state of a job. Waits up to `waitTime` for its answer.
    func state(of name: JobName, waiting waitTime: Duration) async throws -> JobState

    /// Cancels a job that no worker has leased. Its answer is `cancelled`.
    func cancel(_ name: JobName) async throws -> Cancellation

    // MARK: For workers

    /// Leases up to `limit` waiting jobs: high priority before low, in turns of their tenants, and the most urgent
    /// first, as far as the queue can tell. Waits up to `waitTime` for the first one. Leases jobs whose deadline has
    /// passed, too, because they also need an answer.
    ///
    /// With `extra`, leases only such jobs.
    func lease(_ limit: Int, only extra: ExtraJobs?, waiting waitTime: Duration) async throws -> [LeasedJob]

    /// Leases up to `limit` jobs whose worker let its lease end, because it died or hangs.
    func reclaim(_ limit: Int) async throws -> [LeasedJob]

    /// Records that work on a job begins now. Returns `false` if the lease is lost; the caller must not work on the
    /// job.
    func start(_ lease: Lease) async throws -> Bool

    /// Extends leases to their full time from now. Returns the leases that are lost.
    func renew(_ leases: [Lease]) async throws -> [Lease]

    /// Answers a job. Returns `false` if the lease is lost; the queue then discards this answer.
    func finish(_ lease: Lease, with reply: JobReply) async throws -> Bool

    /// Answers a job that kills its workers, and adds it to the dead letters. Returns `false` if the lease is lost.
    func deadLetter(_ lease: Lease, with reply: JobReply) async throws -> Bool

    /// Ends leases, so that any worker can `lease` or `reclaim` the jobs at once. With `isBrokenOff`, their work was
    /// started and then broken off in order: these starts no longer count.
    func giveBack(_ leases: [Lease], isBrokenOff: Bool) async throws

    /// Tells the queue that this worker stops leasing. Other workers reclaim its remaining jobs. Call it last.
    func leave() async throws

    // MARK: Answers that are posted

    /// Leases up to `limit` callbacks that are due. These leases last for the queue's `callbackTime` and cannot be
    /// renewed.
    func leaseCallbacks(_ limit: Int) async throws -> [LeasedCallback]

    /// Removes a callback that the producer received, or that the worker gave up.
    func finishCallback(_ lease: Lease) async throws

    /// Schedules the next attempt of a callback after `delay`. If `isFailure` is `false`, its server was busy, and the
    /// attempt does not count.
    func postponeCallback(_ lease: Lease, by delay: Duration, isFailure: Bool) async throws

    // MARK: For the number of workers

    /// Reports that this worker runs, and what it can do. The report is valid for `WorkerReport.lifetime`, or until the
    /// worker leaves.
    func report(_ report: WorkerReport) async throws

    /// Returns the load of the queue, the workers that reported recently, and the text that `storeScaling` stored last.
    func load() async throws -> (load: QueueLoad, scaling: String?)

    /// Stores what the rule for the number of workers remembers, for all processes that share the queue. Returns
    /// `false`, without storing it, if something else than `former` was stored.
    func storeScaling(_ text: String, replacing former: String?) async throws -> Bool

    // MARK: For administration

    /// Enqueues a dead letter again under its name, as if it had never been answered. Returns `nil` if there is no such
    /// dead letter. If the queue does not accept the job, it stays a dead letter.
    func retryDeadLetter(_ name: JobName) async throws -> Enqueued?

    /// Deletes all dead letters and returns their number.
    func purgeDeadLetters() async throws -> Int

    /// Removes everything that the queue has of these jobs, unanswered: jobs, results, dead letters, and answers to post.
    /// Returns the number of what was removed. Work in progress goes on, but its answer is dropped.
    func forget(_ jobs: ForgottenJobs) async throws -> Int

    // MARK: For the process that has the queue open

    /// What the fleet of the queue shares beside its jobs; `nil` for a queue that is open in one process.
    var fleet: (any FleetStore)? { get }

    /// The problems that the queue has now and keeps working in spite of.
    var warnings: Set<QueueWarning> { get }

    /// The reason why the queue cannot be reached, if the last attempt failed.
    var problem: JobQueueError? { get }

    /// Asks the queue's server, if it has one, whether it is suited to the queue. Throws if it is not, or cannot be reached.
    func checkServer() async throws

    /// Closes the queue. It must not be used afterwards.
    func close() async
}

/// The jobs to remove from a queue.
package enum ForgottenJobs: Sendable, Equatable {
    case one(JobName)
    case all(tenant: String)

    package var tenant: String {
        switch self {
        case .one(let name): name.tenant
        case .all(let tenant): tenant
        }
    }

    /// The job's id; `nil` for all.
    package var id: String? { if case .one(let name) = self { name.id } else { nil } }
}

extension JobQueue {
    /// Leases waiting jobs, whenever they are due.
    package func lease(_ limit: Int, waiting waitTime: Duration) async throws -> [LeasedJob] {
        try await lease(limit, only: nil, waiting: waitTime)
    }

    /// Gives back jobs that were not started.
    package func giveBack(_ leases: [Lease]) async throws { try await giveBack(leases, isBrokenOff: false) }

    package var fleet: (any FleetStore)? { nil }

    package var warnings: Set<QueueWarning> { [] }

    package var problem: JobQueueError? { nil }

    package func checkServer() async throws {}

    package func close() async {}

    package func state(of name: JobName) async throws -> JobState { try await state(of: name, waiting: .zero) }
}

/// The outcome of enqueueing a job.
package enum Enqueued: Sendable, Equatable {
    case accepted
    /// A job of that name waits or is in progress.
    case known
    /// A job of that name already has this answer.
    case finished(JobReply)
    /// The queue is full. The job was not added.
    case busy
    /// The tenant's share of the queue is full. The job was not added.
    case overShare
    /// The server of the queue has too little memory. The job was not added.
    case outOfMemory
}

extension Enqueued {
    /// The reason why a job of `tenant` was not added, or `nil` if it is in the queue.
    package func refusal(for tenant: String) -> String? {
        switch self {
        case .accepted, .known, .finished: nil
        case .busy: "The queue is full."
        case .overShare: "The tenant \(tenant)'s share of the queue is full."
        case .outOfMemory: "The queue's server has too little memory."
        }
    }
}

/// The outcome of cancelling a job.
package enum Cancellation: Sendable, Equatable {
    case cancelled, running, finished, unknown
}

// MARK: - Errors and events

/// A failed call to a queue. The message says what to do.
package struct JobQueueError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Reason: String, Sendable, CaseIterable {
        /// The name is empty or too long, or the content too large.
        case badJob
        /// The configuration is invalid, or the server is not suited to hold jobs.
        case misconfigured
        /// Another process uses the queue's file.
        case inUse
        /// The queue's file or folder belongs to another user, is a link, or is writable by others.
        case untrusted
        /// The disk is full or not writable.
        case noSpace
        /// The server cannot be reached or cannot answer now.
        case unavailable
        /// The server or the database library sent something unexpected.
        case broken
    }

    package var reason: Reason
    package var description: String

    package init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}

/// A problem of a queue that keeps working.
package enum QueueWarning: String, Sendable, CaseIterable, CustomStringConvertible {
    /// The queue's file was removed or replaced by another file.
    case fileRemoved
    /// The queue's disk is full.
    case diskFull
    /// The memory of the queue's server is nearly full.
    case memoryFull
    /// The fleet of the queue signs with another key than this process.
    case foreignKeys

    package var description: String {
        switch self {
        case .fileRemoved:
            "The queue's file was removed or replaced while it was in use. Its jobs continue. Do not change its folder."
        case .diskFull:
            "The queue's disk is full. Jobs in the queue continue, but new ones are refused. Free some disk space."
        case .foreignKeys:
            "The fleet signs with a key that this process does not have. Give all processes of the queue the same --signing-key-file."
        case .memoryFull:
            "The queue's Redis has used nine tenths of its 'maxmemory'. Jobs in the queue continue, but new ones are refused. Raise it, or free memory."
        }
    }
}

/// An event of a queue, for the log.
package enum QueueEvent: Sendable, Equatable {
    /// The problems of the queue's file changed to these.
    case warningsChanged(Set<QueueWarning>)
    /// A producer that writes to the queue itself wrote an entry that is not a job.
    case invalidEntry(String)
    /// The configuration of the queue's server may lose jobs, for this reason.
    case mayLoseJobs(String)
    /// The queue's password was not sent to a server, for this reason.
    case passwordWithheld(String)
}
