import Synchronization

/// A future value that one task waits for. The first of these counts: a value, an error, or the task's cancellation.
final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case awaited(CheckedContinuation<Value, any Error>)
        case settled(Result<Value, any Error>)
        case done
    }

    private let state = Mutex(State.empty)

    func settle(_ result: Result<Value, any Error>) {
        let waiter: CheckedContinuation<Value, any Error>? = state.withLock { state in
            switch state {
            case .empty: state = .settled(result)
            case .awaited(let waiter):
                state = .done
                return waiter
            case .settled, .done: break
            }
            return nil
        }
        waiter?.resume(with: result)
    }

    /// Waits for the value. Call it once.
    func value() async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let result: Result<Value, any Error>? = state.withLock { state in
                    guard case .settled(let result) = state else {
                        state = .awaited(waiter)
                        return nil
                    }
                    state = .done
                    return result
                }
                if let result { waiter.resume(with: result) }
            }
        } onCancel: {
            settle(.failure(CancellationError()))
        }
    }
}
