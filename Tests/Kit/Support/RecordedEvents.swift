import Base
import Synchronization

/// A recorder that keeps all events, so that a test can look at them or wait for one.
package final class RecordedEvents<Event: Sendable>: EventRecorder {
    private let kept = Mutex<[Event]>([])
    private let (stream, arrivals) = AsyncStream.makeStream(of: Event.self)

    package init() {}

    /// All events so far, the oldest first.
    package var events: [Event] { kept.withLock(\.self) }

    package func record(_ event: Event) {
        kept.withLock { $0.append(event) }
        arrivals.yield(event)
    }

    package func count(where isWanted: (Event) -> Bool) -> Int { events.count(where: isWanted) }

    /// Waits for an event that `choose` accepts, and returns its value. Later calls look at later events only.
    package func first<Value>(_ choose: (Event) -> Value?) async -> Value? {
        for await event in stream {
            if let value = choose(event) { return value }
        }
        return nil
    }
}

extension RecordedEvents where Event: Equatable {
    package func count(_ event: Event) -> Int { count { $0 == event } }

    package func contains(_ event: Event) -> Bool { events.contains(event) }
}
