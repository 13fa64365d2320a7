import Publishing
import Synchronization

/// What a bucket's observer was told.
final class Events: Sendable {
    private let events = Mutex<[PublishEvent]>([])

    func add(_ event: PublishEvent) { events.withLock { $0.append(event) } }

    func count(_ isWanted: (PublishEvent) -> Bool) -> Int { events.withLock { $0.count(where: isWanted) } }

    func contains(_ event: PublishEvent) -> Bool { events.withLock { $0.contains(event) } }
}
