import Media
import Synchronization
import Timing
import Values

/// The sources that were removed recently. Work that was under way for them at that time is not delivered.
final class ForgottenSources: Sendable {
    /// A point in time between two calls of `forget`.
    struct Moment: Sendable {
        fileprivate var number: Int
    }

    private struct State {
        var count = 0
        var last = BoundedTable<String, (number: Int, end: Instant)>()
    }

    private let time: any TimeSource
    private let state = Mutex(State())

    init(time: any TimeSource) { self.time = time }

    var moment: Moment { state.withLock { Moment(number: $0.count) } }

    func forget(_ source: String) {
        let now = time.now
        state.withLock { state in
            // Drops entries that are older than the longest possible notification.
            state.last.removeOldest { $1.end <= now }
            state.count += 1
            state.last.insert((state.count, now + NotificationService.longestTimeLimit * 2), for: source)
        }
    }

    /// A Boolean value that indicates whether the source was forgotten after `moment`.
    func contains(_ source: String, since moment: Moment) -> Bool {
        state.withLock { $0.last[source].map { $0.number > moment.number } ?? false }
    }
}
