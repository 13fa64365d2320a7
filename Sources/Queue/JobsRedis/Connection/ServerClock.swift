import Media
import Timing

/// A reading of the server's clock, which converts the server's times to local instants.
///
/// The clocks of producers, workers and server need not agree.
struct ServerClock {
    /// The latest valid time, in milliseconds since 1970. Later times are invalid.
    static let latest = 1 << 52

    private let milliseconds: Int
    private let received: Instant

    /// Reads milliseconds since 1970.
    init?(_ reply: RedisReply?, received: Instant) {
        guard let milliseconds = reply?.integer, (0...Self.latest).contains(milliseconds) else { return nil }
        self.milliseconds = milliseconds
        self.received = received
    }

    /// Reads the reply to TIME: seconds and microseconds.
    init?(time reply: RedisReply, received: Instant) {
        guard let parts = reply.elements, parts.count == 2, let seconds = parts[0].integer,
            let microseconds = parts[1].integer, (0...Self.latest / 1000).contains(seconds)
        else { return nil }
        self.init(.integer(seconds * 1000 + microseconds / 1000), received: received)
    }

    func instant(_ milliseconds: Int) -> Instant? {
        guard (0...Self.latest).contains(milliseconds) else { return nil }
        return received - .milliseconds(self.milliseconds - milliseconds)
    }

    /// Returns the time at which an entry was added. Its id begins with this time.
    func instant(ofEntry id: Substring) -> Instant? { Int(id.prefix { $0 != "-" }).flatMap(instant) }
}
