import Synchronization

/// A signal to a conversion that time is nearly up. The decoder finishes the output that it is writing, and stops.
package final class ExpirySignal: Sendable {
    private struct State {
        var isExpired = false
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    package func expire() {
        let waiters = state.withLock { state in
            state.isExpired = true
            defer { state.waiters = [:] }
            return state.waiters.values.map { $0 }
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until `expire` is called, or the task is cancelled. Returns whether it was called.
    func wait() async -> Bool {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { wake in
                let isDue = state.withLock { state in
                    if state.isExpired || Task.isCancelled { return true }
                    state.waiters[id] = wake
                    return false
                }
                if isDue { wake.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.resume()
        }
        return state.withLock(\.isExpired)
    }
}
