import Media
import Synchronization
package import Timing

/// A signal that wakes one waiting task. If no task waits, the next wait ends at once.
package final class WakeUp: Sendable {
    private enum State {
        case idle
        case nudged
        case waiting(CheckedContinuation<Void, any Error>)
    }

    private let state = Mutex(State.idle)

    package init() {}

    package func wake() {
        let waiter: CheckedContinuation<Void, any Error>? = state.withLock { state in
            guard case .waiting(let waiter) = state else {
                state = .nudged
                return nil
            }
            state = .idle
            return waiter
        }
        waiter?.resume()
    }

    /// Waits for the signal. Throws `CancellationError` as soon as the task is cancelled.
    package func wait() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if case .nudged = state {
                        state = .idle
                        return .success(())
                    }
                    state = .waiting(waiter)
                    return nil
                }
                if let outcome { waiter.resume(with: outcome) }
            }
        } onCancel: {
            let waiter: CheckedContinuation<Void, any Error>? = state.withLock { state in
                guard case .waiting(let waiter) = state else { return nil }
                state = .idle
                return waiter
            }
            waiter?.resume(throwing: CancellationError())
        }
    }

    /// Waits for the signal, until `end` at the latest.
    package func wait(until end: Instant, on time: any TimeSource) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await self.wait() }
            group.addTask { try await time.sleep(until: end) }
            try await group.next()
        }
    }
}
