import Base
import Media
import Synchronization

@testable import Storage

/// A calendar clock that a test moves.
final class WallClock: Sendable {
    private let time = Mutex(UnixTime(seconds: 1_800_000_000))

    var now: UnixTime { time.withLock { $0 } }

    func advance(by duration: Duration) { time.withLock { $0 = $0 + duration } }
}
