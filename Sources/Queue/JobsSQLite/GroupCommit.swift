import Base
import GRDB
import Jobs
import Media
import Synchronization

/// A writer that commits the changes of many callers to the queue's file in one transaction.
///
/// If the file is idle, a change is committed at once. Changes that arrive during a commit form the next group. A
/// single caller does not wait, and groups grow with the load, so no timer is needed. File access blocks, so it runs on
/// a separate thread outside Swift's pool. The number of waiting changes is bounded, because each caller waits for one.
final class GroupCommit: Sendable {
    private struct Change: Sendable {
        /// Makes the change. Returns a closure to call after the commit, which resumes the caller.
        var make: @Sendable (inout JobTables) throws -> @Sendable () -> Void
        var fail: @Sendable (JobQueueError) -> Void
        /// A Boolean value that indicates whether the change adds a job, which a full disk refuses.
        var addsJob: Bool
    }

    private struct Waiting {
        var changes: [Change] = []
        var isCommitting = false
        var isClosed = false
    }

    static let largestGroup = 64

    private let thread: WorkThreads
    private let waiting = Mutex(Waiting())
    /// The queue's file. Only `thread` takes this lock.
    private let file: Mutex<JobFile>
    private let setAsides: Atomic<Int>
    private let heartbeat: LoopHeartbeat
    private let reported = Mutex<Set<QueueWarning>>([])
    private let recorder: any EventRecorder<QueueEvent>

    private init(
        _ file: consuming sending JobFile,
        on thread: WorkThreads,
        recorder: any EventRecorder<QueueEvent>,
    ) {
        self.thread = thread
        self.recorder = recorder
        setAsides = Atomic(file.setAsideCount)
        heartbeat = LoopHeartbeat("queue", needsDisk: true) { thread.append($0) }
        self.file = Mutex(file)
    }

    /// Opens the queue's file.
    static func open(
        _ path: String,
        limits: QueueLimits,
        durability: Durability,
        clock: UnixClock,
        recorder: any EventRecorder<QueueEvent>,
    ) async throws -> GroupCommit {
        let thread = WorkThreads("queue", limit: 1)
        let opened = await thread.perform(evenIfCancelled: true) {
            Result {
                let file = try JobFile(path, limits: limits, durability: durability, clock: clock)
                return GroupCommit(file, on: thread, recorder: recorder)
            }
        }
        guard let opened else { throw noThread }
        return try opened.get()
    }

    private static let noThread = JobQueueError(.unavailable, "The process may have no more threads (ulimit -u).")

    var setAsideCount: Int { setAsides.load(ordering: .relaxed) }

    var warnings: Set<QueueWarning> { reported.withLock(\.self) }

    /// Makes a change and waits until it is committed.
    func change<Value: Sendable>(
        addsJob: Bool = false,
        _ change: @escaping @Sendable (inout JobTables) throws -> Value,
    ) async throws -> Value {
        let result = await withWaiter { (caller: Waiter<Result<Value, JobQueueError>>) in
            submit(
                Change(
                    make: { tables in
                        let value = try change(&tables)
                        return { caller.resume(returning: .success(value)) }
                    },
                    fail: { caller.resume(returning: .failure($0)) },
                    addsJob: addsJob,
                )
            )
        }
        return try result.get()
    }

    func read<Value: Sendable>(_ look: @escaping @Sendable (JobListing) throws -> Value) async throws -> Value {
        let result = await thread.perform(evenIfCancelled: true) {
            self.file.withLock { file in Result { try file.read(look) } }
        }
        guard let result else { throw Self.noThread }
        return try result.mapError { JobQueueError($0) }.get()
    }

    /// Commits the waiting changes and closes the file. Later changes fail.
    func close() async {
        waiting.withLock { $0.isClosed = true }
        await withWaiter { closed in
            thread.append { self.close(closed) }
        }
    }

    private func close(_ closed: Waiter<Void>) {
        guard waiting.withLock({ !$0.isCommitting }) else {
            thread.append { self.close(closed) }
            return
        }
        file.withLock { $0.close() }
        closed.resume()
    }

    private func submit(_ change: Change) {
        let isClosed = waiting.withLock { waiting in
            guard !waiting.isClosed else { return true }
            waiting.changes.append(change)
            if !waiting.isCommitting {
                waiting.isCommitting = true
                thread.append { self.commitGroup() }
            }
            return false
        }
        if isClosed { change.fail(JobQueueError(.unavailable, "The queue is closed.")) }
    }

    private func commitGroup() {
        let group = waiting.withLock { waiting in
            let group = Array(waiting.changes.prefix(Self.largestGroup))
            waiting.changes.removeFirst(group.count)
            return group
        }
        let (tellCallers, warnings) = file.withLock { file in
            file.lookForSpace()
            // The last space of a full disk is for answers.
            let refused = file.isFull ? group.filter(\.addsJob) : []
            let tellCallers = commit(file.isFull ? group.filter { !$0.addsJob } : group, to: &file)
            file.tidy()
            setAsides.store(file.setAsideCount, ordering: .relaxed)
            return (tellCallers + refused.map { change in { change.fail(Self.full) } }, file.warnings)
        }
        notice(warnings)
        for tell in tellCallers { tell() }
        waiting.withLock { waiting in
            waiting.isCommitting = !waiting.changes.isEmpty
            // The next group goes behind pending reads, which a stream of changes would block forever.
            if waiting.isCommitting { thread.append { self.commitGroup() } }
        }
    }

    private func notice(_ warnings: Set<QueueWarning>) {
        let isNew = reported.withLock { reported in
            defer { reported = warnings }
            return reported != warnings
        }
        if isNew { recorder.record(.warningsChanged(warnings)) }
    }

    private static let full = JobQueueError(
        .noSpace,
        "The disk of the queue's file is full. Free some disk space. The queue then resumes by itself."
    )

    /// Commits a group. If that fails, commits each change separately, so that a failing change does not affect the
    /// others.
    private func commit(_ group: [Change], to file: inout JobFile) -> [@Sendable () -> Void] {
        guard !group.isEmpty else { return [] }
        do {
            return try file.change { tables in try group.map { try $0.make(&tables) } }
        } catch {
            guard group.count == 1, let change = group.first else {
                return group.flatMap { commit([$0], to: &file) }
            }
            let error = JobQueueError(error)
            guard error.reason == .noSpace else { return [{ change.fail(error) }] }
            file.makeRoom(finishesJobs: !change.addsJob)
            guard !change.addsJob else { return [{ change.fail(error) }] }
            return finish(change, in: &file)
        }
    }

    /// Makes a change again after freeing disk space.
    private func finish(_ change: Change, in file: inout JobFile) -> [@Sendable () -> Void] {
        do {
            return [try file.change { tables in try change.make(&tables) }]
        } catch {
            let error = JobQueueError(error)
            return [{ change.fail(error) }]
        }
    }
}
