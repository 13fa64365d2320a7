import Synchronization

/// A limited number of permits. Tasks that find none wait in line.
package final class AsyncSemaphore: Sendable {
    private struct State {
        var permits: Int
        var line = Waiters<Void, Result<Void, CancellationError>>()
    }

    private let state: Mutex<State>

    package init(permits: Int) { state = Mutex(State(permits: permits)) }

    /// The number of tasks that wait.
    package var waiterCount: Int { state.withLock(\.line.count) }

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
