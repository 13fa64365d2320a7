import Synchronization

/// A value that is set once, and the tasks that wait for it.
package final class OneShot<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiters = Waiters<Void, Value?>()
    }

    private let state = Mutex(State())

    package init() {}

    /// The value, or `nil` before it is set.
    package var current: Value? { state.withLock(\.value) }

    /// Sets the value and wakes the tasks that wait for it. Only the first call has an effect.
    package func set(_ value: Value) {
        let waiters = state.withLock { state in
            guard state.value == nil else { return [Waiter<Value?>]() }
            state.value = value
            return state.waiters.removeAll()
        }
        for waiter in waiters { waiter.resume(returning: value) }
    }

    /// Waits for the value. Returns `nil` if the task is cancelled first.
    package func value() async -> Value? {
        await withWaiter { (waiter: Waiter<Value?>) -> Value?? in
            state.withLock { state -> Value?? in
                if let value = state.value { return .some(value) }
                state.waiters.add(waiter)
                return nil
            }
        } onCancel: { id in
            let entry = state.withLock { $0.waiters.remove(id) }
            entry?.waiter.resume(returning: nil)
        }
    }
}

extension OneShot {
    /// Waits for the value, also if the task is cancelled: then `onCancel` is called, which may lead to a value.
    package func value(onCancel: @Sendable () -> Void) async -> Value {
        let value = await withWaiter { (waiter: Waiter<Value?>) -> Value?? in
            state.withLock { state -> Value?? in
                if let value = state.value { return .some(value) }
                state.waiters.add(waiter)
                return nil
            }
        } onCancel: { _ in
            onCancel()
        }
        guard let value else { preconditionFailure("a waiter that stays gets the value") }
        return value
    }

    /// Waits for a result. Throws `CancellationError` if the task is cancelled first.
    package func get<Success>() async throws -> Success where Value == Result<Success, any Error> {
        guard let result = await value() else { throw CancellationError() }
        return try result.get()
    }
}

extension OneShot<Void> {
    package func set() { set(()) }
}

// MARK: - Shared work

/// Work that any number of tasks wait for (single flight). It starts at once, and is cancelled when the last waiter leaves.
package final class SharedTask<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiters = Waiters<Void, Value?>()
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())

    package init(_ work: @escaping @Sendable () async -> Value) {
        let task = Task { finish(await work()) }
        state.withLock { $0.task = task }
    }

    /// The number of tasks that wait.
    package var waiterCount: Int { state.withLock(\.waiters.count) }

    /// Waits for the result of the work. Returns `nil` if the caller's task is cancelled first.
    package func value() async -> Value? {
        await withWaiter { (waiter: Waiter<Value?>) -> Value?? in
            state.withLock { state -> Value?? in
                // A caller that is cancelled before it waits abandons nothing.
                if state.value != nil || Task.isCancelled { return .some(state.value) }
                state.waiters.add(waiter)
                return nil
            }
        } onCancel: { id in
            leave(id)
        }
    }

    private func leave(_ id: WaiterID) {
        let (entry, abandoned) = state.withLock { state in
            let entry = state.waiters.remove(id)
            return (entry, entry != nil && state.waiters.isEmpty ? state.task : nil)
        }
        entry?.waiter.resume(returning: nil)
        abandoned?.cancel()
    }

    private func finish(_ value: Value) {
        let waiters = state.withLock { state in
            state.value = value
            return state.waiters.removeAll()
        }
        for waiter in waiters { waiter.resume(returning: value) }
    }
}
