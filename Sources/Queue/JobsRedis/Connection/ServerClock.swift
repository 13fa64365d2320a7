import Jobs
import Media
import Timing

/// A reading of the server's clock, which converts the server's times to local instants.
///
/// The clocks of producers, workers and server need not agree.
struct ServerClock {
    /// The latest valid time, in milliseconds since 1970. Later times are invalid.
    static let latest = 1 << 52

    private let milliseconds: Int
    /// The local time of the reading.
    private let instant: Instant

    /// Reads milliseconds since 1970 from a reply to a request that was sent at `asked`.
    init?(_ reply: RedisReply?, asked: Instant, received: Instant, _ clock: inout RemoteClock) {
        guard let milliseconds = reply?.integer, (0...Self.latest).contains(milliseconds) else { return nil }
        self.milliseconds = milliseconds
        instant = clock.instant(of: .milliseconds(milliseconds), asked: asked, received: received)
    }

    /// Reads the reply to TIME: seconds and microseconds.
    init?(time reply: RedisReply, asked: Instant, received: Instant, _ clock: inout RemoteClock) {
        guard let parts = reply.elements, parts.count == 2, let seconds = parts[0].integer,
            let microseconds = parts[1].integer, (0...Self.latest / 1000).contains(seconds)
        else { return nil }
        self.init(.integer(seconds * 1000 + microseconds / 1000), asked: asked, received: received, &clock)
    }

    func instant(_ milliseconds: Int) -> Instant? {
        guard (0...Self.latest).contains(milliseconds) else { return nil }
        return instant - .milliseconds(self.milliseconds - milliseconds)
    }

    /// Returns the time at which an entry was added. Its id begins with this time.
    func instant(ofEntry id: Substring) -> Instant? { Int(id.prefix { $0 != "-" }).flatMap(instant) }
}
