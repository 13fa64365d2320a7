import Synchronization

/// A call that wakes a task, or ends the task's next wait at once. One task waits at a time.
package final class WakeUp: Sendable {
    private enum State {
        case idle
        case called
        case waiting(Waiter<Result<Void, CancellationError>>)
    }

    private let state = Mutex(State.idle)

    package init() {}

    package func wake() {
        let waiter = takeWaiter { $0 = .called }
        waiter?.resume(returning: .success(()))
    }

    /// Waits for the next call. Throws as soon as the task is cancelled.
    package func wait() async throws(CancellationError) {
        let result = await withWaiter { waiter in
            state.withLock { state -> Result<Void, CancellationError>? in
                // A call stays for the next wait.
                if Task.isCancelled { return .failure(CancellationError()) }
                if case .called = state {
                    state = .idle
                    return .success(())
                }
                state = .waiting(waiter)
                return nil
            }
        } onCancel: { _ in
            let waiter = takeWaiter { _ in }
            waiter?.resume(returning: .failure(CancellationError()))
        }
        try result.get()
    }

    /// Takes out the waiter. Calls `otherwise` if there isn't one.
    private func takeWaiter(otherwise: (inout State) -> Void) -> Waiter<Result<Void, CancellationError>>? {
        state.withLock { state in
            guard case .waiting(let waiter) = state else {
                otherwise(&state)
                return nil
            }
            state = .idle
            return waiter
        }
    }
}
