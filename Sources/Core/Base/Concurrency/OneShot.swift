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
