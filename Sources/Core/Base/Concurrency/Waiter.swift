import Synchronization

/// A suspended task that waits for a value.
///
/// Resume each waiter exactly once, and never while you hold a lock: the task may run at once and take the same lock.
package struct Waiter<Value: Sendable>: Sendable {
    package let id: WaiterID
    private let continuation: CheckedContinuation<Value, Never>

    fileprivate init(_ id: WaiterID, _ continuation: CheckedContinuation<Value, Never>) {
        self.id = id
        self.continuation = continuation
    }

    package func resume(returning value: Value) { continuation.resume(returning: value) }
}

extension Waiter<Void> {
    package func resume() { resume(returning: ()) }
}

/// The identity of a waiter, unique within the process.
package struct WaiterID: RawRepresentable, Hashable, Comparable, Sendable {
    private static let last = Atomic<UInt64>(0)

    /// The number of the waiter. It is never 0.
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }
    fileprivate init() { rawValue = Self.last.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Orders waiters by when they began to wait.
    package static func < (left: WaiterID, right: WaiterID) -> Bool { left.rawValue < right.rawValue }
}

/// Suspends the task until its waiter is resumed. Cancellation does not end the wait.
///
/// - Parameter body: Hands the waiter to the code that will resume it. It is called at once.
/// - Returns: The value that the waiter was resumed with.
package func withWaiter<Value: Sendable>(_ body: (Waiter<Value>) -> Void) async -> Value {
    await withCheckedContinuation { body(Waiter(WaiterID(), $0)) }
}

/// Suspends the task until its waiter is resumed.
///
/// - Parameters:
///   - body: Hands the waiter to the code that will resume it, or returns the value if there is nothing to wait for. It
///     is called at once, even if the task is already cancelled.
///   - cancel: Takes the waiter back and resumes it, unless it was resumed before. It is called at most once, when the
///     task is cancelled. It never runs before `body` has returned, so `body` does not have to look for cancellation.
/// - Returns: The value of `body`, or the value that the waiter was resumed with.
package func withWaiter<Value: Sendable>(
    _ body: (Waiter<Value>) -> Value?,
    onCancel cancel: @Sendable (WaiterID) -> Void,
) async -> Value {
    let id = WaiterID()
    let wait = CancellableWait()
    return await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            if let value = body(Waiter(id, continuation)) {
                continuation.resume(returning: value)
            } else if wait.begin() {
                cancel(id)
            }
        }
    } onCancel: {
        if wait.cancel() { cancel(id) }
    }
}

/// The order of two events that race: a task begins to wait, and it is cancelled. The later of them acts on both.
private struct CancellableWait: ~Copyable {
    private let hasOther = Atomic(false)

    /// Returns whether the task was cancelled before.
    func begin() -> Bool { hasOther.exchange(true, ordering: .acquiringAndReleasing) }

    /// Returns whether the task had begun to wait.
    func cancel() -> Bool { hasOther.exchange(true, ordering: .acquiringAndReleasing) }
}

// MARK: - Tables of waiters

/// A table of waiters, each with a note that says what it waits for. It is part of a state that a lock protects.
///
/// The methods only take waiters out. Resume them after the lock is released.
///
/// Closures stand where key paths could: the Swift runtime looks up a key path of a generic type at each use, which took a
/// seventh of the processor time of a download.
package struct Waiters<Note, Value: Sendable> {
    package struct Entry {
        package var note: Note
        package var waiter: Waiter<Value>
    }

    private var entries: [WaiterID: Entry] = [:]

    package init() {}

    package var isEmpty: Bool { entries.isEmpty }
    package var count: Int { entries.count }
    package var notes: some Collection<Note> { entries.values.lazy.map { $0.note } }

    package mutating func add(_ waiter: Waiter<Value>, _ note: Note) {
        entries[waiter.id] = Entry(note: note, waiter: waiter)
    }

    /// Removes and returns one waiter. Returns `nil` if it is no longer in the table.
    package mutating func remove(_ id: WaiterID) -> Entry? { entries.removeValue(forKey: id) }

    /// Takes out the waiter that has waited longest. Looks at all of them.
    package mutating func removeFirst() -> Entry? { entries.keys.min().flatMap { remove($0) } }

    /// Takes out all waiters.
    package mutating func removeAll() -> [Waiter<Value>] {
        defer { entries = [:] }
        return entries.values.map { $0.waiter }
    }

    /// Takes out the waiters whose note satisfies a condition.
    package mutating func removeAll(where isDue: (Note) -> Bool) -> [Waiter<Value>] {
        guard !entries.isEmpty else { return [] }
        let due = entries.filter { isDue($0.value.note) }
        for id in due.keys { entries[id] = nil }
        return due.values.map { $0.waiter }
    }
}

extension Waiters where Note == Void {
    package mutating func add(_ waiter: Waiter<Value>) { add(waiter, ()) }
}
