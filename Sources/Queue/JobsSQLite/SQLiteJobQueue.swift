package import Base
package import Jobs
import Media
import Synchronization

/// A queue in a file, for one machine and without a server. One process opens it. Within the process, any number of
/// producers and workers share it.
///
/// Workers lease the most urgent jobs first. Opening the file ends all leases.
package final class SQLiteJobQueue: JobQueue {
    let commits: GroupCommit
    private let events = Events()
    let time: any TimeSource
    let shared = SharedScaling()

    private init(_ commits: GroupCommit, _ time: any TimeSource) {
        self.commits = commits
        self.time = time
    }

    /// Opens the queue's file, or creates it. Its folder must exist, on a local disk. A damaged file is renamed and
    /// replaced by a new one. Throws `inUse` if another process uses the file.
    package static func open(
        _ path: String,
        limits: QueueLimits = QueueLimits(),
        durability: Durability = .normal,
        time: any TimeSource = SystemTime(),
        recorder: any EventRecorder<QueueEvent> = NoRecorder<QueueEvent>(),
    ) async throws -> SQLiteJobQueue {
        let clock = UnixClock(time)
        return SQLiteJobQueue(
            try await GroupCommit.open(
                path,
                limits: limits,
                durability: durability,
                clock: clock,
                recorder: recorder
            ),
            time,
        )
    }

    /// Waits for pending changes and closes the file.
    package func close() async { await commits.close() }

    /// The number of damaged files that were set aside since the queue was opened.
    package var setAsideCount: Int { commits.setAsideCount }

    package var warnings: Set<QueueWarning> { commits.warnings }

    // MARK: For producers

    package func enqueue(_ job: Job) async throws -> Enqueued {
        try job.check()
        let enqueued = try await commits.change(addsJob: true) { try $0.enqueue(job) }
        if enqueued == .accepted { events.post(.jobWaits) }
        return enqueued
    }

    package func state(of name: JobName, waiting waitTime: Duration) async throws -> JobState {
        let end = time.now + waitTime
        return try await events.listening(to: .answered(name)) { answered in
            let state = try await commits.change { try $0.state(of: name) }
            guard state == .waiting || state == .running, time.now < end else { return state }
            try await answered.wait(until: end, on: time)
            return try await commits.change { try $0.state(of: name) }
        }
    }

    package func cancel(_ name: JobName) async throws -> Cancellation {
        let cancellation = try await commits.change { try $0.cancel(name) }
        if cancellation == .cancelled { events.post(.answered(name)) }
        return cancellation
    }

    // MARK: For workers

    package func lease(
        _ limit: Int,
        only extra: ExtraJobs?,
        waiting waitTime: Duration,
    ) async throws -> [LeasedJob] {
        guard limit > 0 else { return [] }
        let end = time.now + waitTime
        while true {
            let jobs: [LeasedJob]? = try await events.listening(to: .jobWaits) { jobWaits in
                let jobs = try await commits.change { try $0.lease(limit, only: extra) }
                guard jobs.isEmpty, time.now < end else { return jobs }
                try await jobWaits.wait(until: end, on: time)
                return nil
            }
            if let jobs { return jobs }
        }
    }

    package func reclaim(_ limit: Int) async throws -> [LeasedJob] {
        guard limit > 0 else { return [] }
        return try await commits.change { try $0.reclaim(limit) }
    }

    package func start(_ lease: Lease) async throws -> Bool {
        try await commits.change { try $0.start(lease) }
    }

    package func renew(_ leases: [Lease]) async throws -> [Lease] {
        guard !leases.isEmpty else { return [] }
        return try await commits.change { try $0.renew(leases) }
    }

    package func finish(_ lease: Lease, with reply: JobReply) async throws -> Bool {
        notify(try await commits.change { try $0.finish(lease, with: reply) })
    }

    package func deadLetter(_ lease: Lease, with reply: JobReply) async throws -> Bool {
        notify(try await commits.change { try $0.deadLetter(lease, with: reply) })
    }

    private func notify(_ answered: JobName?) -> Bool {
        guard let answered else { return false }
        events.post(.answered(answered))
        return true
    }

    package func giveBack(_ leases: [Lease], isBrokenOff: Bool) async throws {
        guard !leases.isEmpty else { return }
        try await commits.change { try $0.giveBack(leases, isBrokenOff: isBrokenOff) }
        events.post(.jobWaits)
    }

    /// Forgets the worker's report. The file itself has no record of workers.
    package func leave() async throws { shared.forgetReport() }

    // MARK: Answers that are posted

    package func leaseCallbacks(_ limit: Int) async throws -> [LeasedCallback] {
        try await commits.change { try $0.leaseCallbacks(limit) }
    }

    package func finishCallback(_ lease: Lease) async throws {
        try await commits.change { try $0.finishCallback(lease) }
    }

    package func postponeCallback(_ lease: Lease, by delay: Duration, isFailure: Bool) async throws {
        try await commits.change { try $0.postponeCallback(lease, by: delay, isFailure: isFailure) }
    }

    // MARK: For inspection and administration

    package func status() async throws -> QueueStatus {
        try await commits.read { try $0.status() }
    }

    package func jobs(_ limit: Int) async throws -> [JobSummary] {
        try await commits.read { try $0.jobs(limit) }
    }

    package func deadLetters(_ limit: Int) async throws -> [DeadLetter] {
        try await commits.read { try $0.deadLetters(limit) }
    }

    package func retryDeadLetter(_ name: JobName) async throws -> Enqueued? {
        let enqueued = try await commits.change(addsJob: true) { try $0.retryDeadLetter(name) }
        if enqueued == .accepted { events.post(.jobWaits) }
        return enqueued
    }

    package func purgeDeadLetters() async throws -> Int {
        try await commits.change { try $0.purgeDeadLetters() }
    }

    package func forget(_ jobs: ForgottenJobs) async throws -> Int {
        try await commits.change { try $0.forget(jobs) }
    }
}

// MARK: - Scaling

/// The state of scaling, which the processes of a fleet share. With a file, only this process has it.
final class SharedScaling: Sendable {
    struct State {
        var report: (WorkerReport, until: Instant)?
        var scaling: String?
    }

    let state = Mutex(State())

    func forgetReport() { state.withLock { $0.report = nil } }
}

extension SQLiteJobQueue {
    package func report(_ report: WorkerReport) async throws {
        shared.state.withLock { $0.report = (report, until: time.now + WorkerReport.lifetime) }
    }

    package func load() async throws -> (load: QueueLoad, scaling: String?) {
        var load = try await commits.read { try $0.load() }
        let (report, scaling) = shared.state.withLock { ($0.report, $0.scaling) }
        if let report, time.now < report.until { load.workers = [report.0] }
        return (load, scaling)
    }

    package func storeScaling(_ text: String, replacing former: String?) async throws -> Bool {
        shared.state.withLock { state in
            guard state.scaling == former else { return false }
            state.scaling = text
            return true
        }
    }
}

// MARK: - Events

/// The events of the queue, and the tasks of this process that wait for them.
final class Events: Sendable {
    enum Event: Sendable, Hashable {
        /// A job waits to be leased.
        case jobWaits
        case answered(JobName)
    }

    private let listeners = Mutex<[Event: [ObjectIdentifier: WakeUp]]>([:])

    /// Calls `body` with a signal that the event raises from now on.
    func listening<Value>(to event: Event, _ body: (WakeUp) async throws -> Value) async throws -> Value {
        let listener = WakeUp()
        let key = ObjectIdentifier(listener)
        listeners.withLock { $0[event, default: [:]][key] = listener }
        defer {
            listeners.withLock { listeners in
                listeners[event]?[key] = nil
                if listeners[event]?.isEmpty == true { listeners[event] = nil }
            }
        }
        return try await body(listener)
    }

    func post(_ event: Event) {
        let told = listeners.withLock { $0[event]?.values.map(\.self) ?? [] }
        for listener in told { listener.wake() }
    }
}
