import Publishing
import Synchronization

/// A record of the events that a bucket's observer received.
final class Events: Sendable {
    private let events = Mutex<[PublishEvent]>([])

    func add(_ event: PublishEvent) { events.withLock { $0.append(event) } }

    func count(_ isWanted: (PublishEvent) -> Bool) -> Int { events.withLock { $0.count(where: isWanted) } }

    func contains(_ event: PublishEvent) -> Bool { events.withLock { $0.contains(event) } }
}
