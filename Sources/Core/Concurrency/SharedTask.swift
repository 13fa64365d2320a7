import Synchronization

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
