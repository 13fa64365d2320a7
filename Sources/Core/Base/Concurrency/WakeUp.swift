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

// MARK: - Permits

/// A limited number of permits. If all are taken, tasks wait in the order of their requests.
package final class AsyncSemaphore: Sendable {
    private struct State {
        var permits: Int
        var line = Waiters<Void, Result<Void, CancellationError>>()
    }

    private let state: Mutex<State>

    package init(permits: Int) { state = Mutex(State(permits: permits)) }

    /// The number of tasks that wait.
    package var waiterCount: Int { state.withLock(\.line.count) }

    /// Takes a permit if one is free.
    package func tryAcquire() -> Bool {
        state.withLock { state in
            guard state.permits > 0 else { return false }
            state.permits -= 1
            return true
        }
    }

    /// Takes a permit, first come, first served. Throws if the task is cancelled while it waits.
    package func acquire() async throws(CancellationError) {
        let result = await withWaiter { waiter in
            state.withLock { state -> Result<Void, CancellationError>? in
                guard state.permits == 0 else {
                    state.permits -= 1
                    return .success(())
                }
                state.line.add(waiter)
                return nil
            }
        } onCancel: { id in
            let entry = state.withLock { $0.line.remove(id) }
            entry?.waiter.resume(returning: .failure(CancellationError()))
        }
        try result.get()
    }

    /// Gives a permit back, or hands it to the task that has waited longest.
    package func release() {
        let next = state.withLock { state in
            let next = state.line.removeFirst()
            if next == nil { state.permits += 1 }
            return next
        }
        next?.waiter.resume(returning: .success(()))
    }
}
