import Jobs
import Synchronization

/// Tells tasks of this process that what they wait for may have come.
final class Events: Sendable {
    enum Event: Sendable, Hashable {
        /// A job waits to be leased.
        case jobWaits
        case answered(JobName)
    }

    private let listeners = Mutex<[Event: [ObjectIdentifier: WakeUp]]>([:])

    /// Calls `body` with what is nudged by the event from now on, however soon it happens.
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
