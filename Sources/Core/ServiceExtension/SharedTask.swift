import Synchronization

/// Work that any number of tasks wait for. It begins at once, and is cancelled when the last of them has left.
final class SharedTask<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiters: [Int: CheckedContinuation<Value?, Never>] = [:]
        var nextWaiter = 0
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())

    init(_ work: @escaping @Sendable () async -> Value) {
        let task = Task { finish(await work()) }
        state.withLock { $0.task = task }
    }

    /// Returns the result of the work, or `nil` if the caller's task is cancelled first.
    func value() async -> Value? {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { wake in
                let isOver = state.withLock { state in
                    if state.value != nil || Task.isCancelled { return true }
                    state.waiters[id] = wake
                    return false
                }
                if isOver { wake.resume(returning: state.withLock(\.value)) }
            }
        } onCancel: {
            leave(id)
        }
    }

    private func leave(_ id: Int) {
        let (waiter, abandoned) = state.withLock { state in
            let waiter = state.waiters.removeValue(forKey: id)
            return (waiter, waiter != nil && state.waiters.isEmpty ? state.task : nil)
        }
        waiter?.resume(returning: nil)
        abandoned?.cancel()
    }

    private func finish(_ value: Value) {
        let waiters = state.withLock { state in
            state.value = value
            defer { state.waiters = [:] }
            return state.waiters.values.map { $0 }
        }
        for waiter in waiters { waiter.resume(returning: value) }
    }
}
