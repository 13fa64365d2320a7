import Jobs
import Media
import Synchronization

/// Tells tasks of this process that what they wait for may have come.
final class Events: Sendable {
    enum Event: Sendable, Hashable {
        /// A job waits to be leased.
        case jobWaits
        case answered(JobName)
    }

    private let listeners = Mutex<[Event: [ObjectIdentifier: Listener]]>([:])

    /// Calls `body` with a listener that hears the event from now on, however soon it happens.
    func listening<Value>(to event: Event, _ body: (Listener) async throws -> Value) async throws -> Value {
        let listener = Listener()
        let key = ObjectIdentifier(listener)
        listeners.withLock { $0[event, default: [:]][key] = listener }
        defer {
            listeners.withLock { listeners in
                listeners[event]?[key] = nil
                if listeners[event]?.isEmpty == true { listeners[event] = nil }
            }
        }
        return try await body(listener)
    }

    func tell(_ event: Event) {
        let told = listeners.withLock { $0[event]?.values.map(\.self) ?? [] }
        for listener in told { listener.hear() }
    }
}

/// One task's wait for one event.
final class Listener: Sendable {
    private enum State {
        case listening
        case waiting(CheckedContinuation<Void, any Error>)
        case done
    }

    private let state = Mutex(State.listening)

    /// Returns when the event happened, or at `end`.
    func wait(until end: Instant, on time: any TimeSource) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await self.wait() }
            group.addTask { try await time.sleep(until: end) }
            try await group.next()
        }
    }

    func hear() { finish()?.resume() }

    private func wait() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
                let isHeard = state.withLock { state in
                    if case .done = state { return true }
                    state = .waiting(waiter)
                    return false
                }
                if isHeard { waiter.resume() }
            }
            // A wait that was cancelled before it began is done, too.
            try Task.checkCancellation()
        } onCancel: {
            finish()?.resume(throwing: CancellationError())
        }
    }

    private func finish() -> CheckedContinuation<Void, any Error>? {
        state.withLock { state in
            defer { state = .done }
            guard case .waiting(let waiter) = state else { return nil }
            return waiter
        }
    }
}
