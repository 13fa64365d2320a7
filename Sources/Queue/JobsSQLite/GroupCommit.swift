import Dispatch
import GRDB
import Jobs
import Media
import Synchronization
import Timing

/// Makes changes to the queue's file, many callers' in one transaction.
///
/// A change that finds the file at rest is committed at once; those that come meanwhile are committed together, next. So
/// a lone caller waits for nothing, and the more there are the larger the groups: no timer is needed. Its file blocks,
/// which is why it has a thread of its own beside Swift's pool. How many changes wait is bounded by their callers, each
/// of whom waits for one.
final class GroupCommit: Sendable {
    private struct Change: Sendable {
        /// Makes the change. What comes back tells the caller, and is called once it is committed.
        var make: @Sendable (inout JobTables) throws -> @Sendable () -> Void
        var fail: @Sendable (JobQueueError) -> Void
        /// Whether it brings a new job, which a full disk has no space for.
        var addsJob: Bool
    }

    private struct Waiting {
        var changes: [Change] = []
        var isCommitting = false
        var isClosed = false
    }

    static let largestGroup = 64

    private let thread: DispatchQueue
    private let waiting = Mutex(Waiting())
    /// Only `thread` takes this lock.
    private let file: Mutex<JobFile>
    private let setAsides: Atomic<Int>
    private let heartbeat: LoopHeartbeat
    private let trouble = Mutex<Set<QueueTrouble>>([])
    private let observe: @Sendable (Set<QueueTrouble>) -> Void

    private init(
        _ file: consuming sending JobFile,
        on thread: DispatchQueue,
        observe: @escaping @Sendable (Set<QueueTrouble>) -> Void,
    ) {
        self.thread = thread
        self.observe = observe
        setAsides = Atomic(file.setAsideCount)
        heartbeat = LoopHeartbeat("queue") { thread.async(execute: $0) }
        self.file = Mutex(file)
    }

    /// `observe` is told what is wrong whenever that changes.
    static func open(
        _ path: String,
        limits: QueueLimits,
        durability: Durability,
        clock: UnixClock,
        observe: @escaping @Sendable (Set<QueueTrouble>) -> Void,
    ) async throws -> GroupCommit {
        let thread = DispatchQueue(label: "attachd.queue")
        return try await withCheckedThrowingContinuation { opened in
            thread.async {
                opened.resume(
                    with: Result {
                        let file = try JobFile(path, limits: limits, durability: durability, clock: clock)
                        return GroupCommit(file, on: thread, observe: observe)
                    }
                )
            }
        }
    }

    var setAsideCount: Int { setAsides.load(ordering: .relaxed) }

    var troubles: Set<QueueTrouble> { trouble.withLock(\.self) }

    /// Returns once the change is committed.
    func change<Value: Sendable>(
        addsJob: Bool = false,
        _ change: @escaping @Sendable (inout JobTables) throws -> Value,
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { (caller: CheckedContinuation<Value, any Error>) in
            submit(
                Change(
                    make: { tables in
                        let value = try change(&tables)
                        return { caller.resume(returning: value) }
                    },
                    fail: { caller.resume(throwing: $0) },
                    addsJob: addsJob,
                )
            )
        }
    }

    func read<Value: Sendable>(_ look: @escaping @Sendable (JobListing) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { caller in
            thread.async {
                let result = self.file.withLock { file in Result { try file.read(look) } }
                caller.resume(with: result.mapError { JobQueueError($0) as any Error })
            }
        }
    }

    /// Makes the changes that wait, and closes the file. Later ones fail.
    func close() async {
        waiting.withLock { $0.isClosed = true }
        await withCheckedContinuation { closed in
            thread.async { self.close(closed) }
        }
    }

    private func close(_ closed: CheckedContinuation<Void, Never>) {
        guard waiting.withLock({ !$0.isCommitting }) else { return thread.async { self.close(closed) } }
        file.withLock { $0.close() }
        closed.resume()
    }

    private func submit(_ change: Change) {
        let isClosed = waiting.withLock { waiting in
            guard !waiting.isClosed else { return true }
            waiting.changes.append(change)
            if !waiting.isCommitting {
                waiting.isCommitting = true
                thread.async { self.commitGroup() }
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
        let (tellCallers, troubles) = file.withLock { file in
            file.lookForSpace()
            // What is left of a full disk is for the answers.
            let refused = file.isFull ? group.filter(\.addsJob) : []
            let tellCallers = commit(file.isFull ? group.filter { !$0.addsJob } : group, to: &file)
            file.tidy()
            setAsides.store(file.setAsideCount, ordering: .relaxed)
            return (tellCallers + refused.map { change in { change.fail(Self.full) } }, file.troubles)
        }
        notice(troubles)
        for tell in tellCallers { tell() }
        waiting.withLock { waiting in
            waiting.isCommitting = !waiting.changes.isEmpty
            // Behind those who look into the file: changes without end would keep them waiting for ever.
            if waiting.isCommitting { thread.async { self.commitGroup() } }
        }
    }

    private func notice(_ troubles: Set<QueueTrouble>) {
        let isNew = trouble.withLock { trouble in
            defer { trouble = troubles }
            return trouble != troubles
        }
        if isNew { observe(troubles) }
    }

    private static let full = JobQueueError(
        .noSpace,
        "The disk of the queue's file is full. Free some space; the queue goes on by itself."
    )

    /// Commits a group; where that fails, each change by itself, so that one spoils no other.
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

    /// Makes a change once more, after room was made.
    private func finish(_ change: Change, in file: inout JobFile) -> [@Sendable () -> Void] {
        do {
            return [try file.change { tables in try change.make(&tables) }]
        } catch {
            let error = JobQueueError(error)
            return [{ change.fail(error) }]
        }
    }
}
