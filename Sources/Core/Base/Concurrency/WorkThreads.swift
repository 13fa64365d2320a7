import Dispatch
import Synchronization

/// Threads of their own for work that may wait without an end: for a disk, or for a lock of another process.
///
/// The threads of libdispatch's queues are those of Swift's pool, so that a disk that hangs would take them from all tasks.
/// Threads are started when they are first needed, up to the limit, and end with this object. Work begins in the order in
/// which it came; with one thread, it is done in that order.
package final class WorkThreads: Sendable {
    private let line: Line

    /// - Parameters:
    ///   - name: What `top -H` shows: at most 15 bytes.
    ///   - limit: The maximum number of threads, and so of works that a hanging disk can hold.
    ///   - isUrgent: Whether the kernel prefers them, see `OwnThread.start`.
    package init(_ name: String, limit: Int, isUrgent: Bool = false) {
        line = Line(name, limit: limit, isUrgent: isUrgent)
    }

    deinit { line.close() }

    /// Adds work. Returns its number, or `nil` if the process may have no more threads and has none of these yet.
    @discardableResult
    package func append(_ work: @escaping @Sendable () -> Void) -> Int? { line.append(work) }

    /// Does work and returns its value.
    ///
    /// Returns `nil`, without doing the work, if the process may have no thread for it, or if the task is cancelled before
    /// the work has begun, unless it is to be done `evenIfCancelled`. A caller with a deadline waits with
    /// `TimeSource.answer`, because work that has begun cannot be broken off.
    package func perform<Value: Sendable>(
        evenIfCancelled: Bool = false,
        _ work: @escaping @Sendable () -> Value,
    ) async -> Value? {
        let waiting = Mutex<(number: Int, waiter: Waiter<Value?>)?>(nil)
        return await withWaiter { waiter -> Value?? in
            guard let number = line.append({ waiter.resume(returning: work()) }) else { return .some(nil) }
            waiting.withLock { $0 = (number, waiter) }
            return nil
        } onCancel: { [line] _ in
            guard !evenIfCancelled, let waiting = waiting.withLock({ $0 }), line.remove(waiting.number) else { return }
            waiting.waiter.resume(returning: nil)
        }
    }
}

/// The work that waits. The threads hold it and not its owner, so that they end after their owner.
private final class Line: Sendable {
    private struct State {
        /// The work that waits, by number. Work that was taken back leaves a gap.
        var works: [Int: @Sendable () -> Void] = [:]
        /// The number of the first work that may still wait, and that of the next work to come.
        var (first, next) = (0, 0)
        var threadCount = 0
        var idleCount = 0
        var isOpen = true

        mutating func add(_ work: @escaping @Sendable () -> Void) -> Int {
            works[next] = work
            next += 1
            return next - 1
        }

        mutating func take() -> (@Sendable () -> Void)? {
            while first < next {
                defer { first += 1 }
                if let work = works.removeValue(forKey: first) { return work }
            }
            return nil
        }
    }

    private let name: String
    private let limit: Int
    private let isUrgent: Bool
    private let state = Mutex(State())
    private let changed = DispatchSemaphore(value: 0)

    init(_ name: String, limit: Int, isUrgent: Bool) {
        (self.name, self.limit, self.isUrgent) = (name, limit, isUrgent)
    }

    func append(_ work: @escaping @Sendable () -> Void) -> Int? {
        let (number, needsThread) = state.withLock { state in
            let number = state.add(work)
            let needsThread = state.works.count > state.idleCount && state.threadCount < limit
            if needsThread { state.threadCount += 1 }
            return (number, needsThread)
        }
        changed.signal()
        guard needsThread, (try? OwnThread.start(name, isUrgent: isUrgent, body: { self.run() })) == nil else {
            return number
        }
        return state.withLock { state in
            state.threadCount -= 1
            // Another thread does it later.
            guard state.threadCount == 0 else { return number }
            return state.works.removeValue(forKey: number) == nil ? number : nil
        }
    }

    /// Takes work back. Returns `false` if it has begun.
    func remove(_ number: Int) -> Bool { state.withLock { $0.works.removeValue(forKey: number) } != nil }

    func close() {
        let count = state.withLock { state in
            state.isOpen = false
            return state.threadCount
        }
        for _ in 0..<count { changed.signal() }
    }

    private func run() {
        while true {
            state.withLock { $0.idleCount += 1 }
            changed.wait()
            let (work, isOpen) = state.withLock { state in
                state.idleCount -= 1
                return (state.take(), state.isOpen)
            }
            if let work { work() } else if !isOpen { return }
        }
    }
}
