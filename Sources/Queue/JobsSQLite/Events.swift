import Concurrency
import Jobs
import Synchronization

/// The events of the queue, and the tasks of this process that wait for them.
final class Events: Sendable {
    enum Event: Sendable, Hashable {
        /// A job waits to be leased.
        case jobWaits
        case answered(JobName)
    }

    private let listeners = Mutex<[Event: [ObjectIdentifier: WakeUp]]>([:])

    /// Calls `body` with a signal that the event raises from now on.
    func listening<Value>(to event: Event, _ body: (WakeUp) async throws -> Value) async throws -> Value {
        let listener = WakeUp()
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
        for listener in told { listener.wake() }
    }
}
