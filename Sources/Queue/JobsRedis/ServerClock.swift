import Media
import RedisWire
import Timing

/// The server's clock as it was at one moment: what it says of times becomes instants of ours.
///
/// So nothing depends on how well the clocks of producers, workers and server agree.
struct ServerClock {
    /// Milliseconds since 1970 that still are a time; what a server says beyond it is nonsense.
    static let latest = 1 << 52

    private let milliseconds: Int
    private let received: Instant

    /// From milliseconds.
    init?(_ reply: RedisReply?, received: Instant) {
        guard let milliseconds = reply?.integer, (0...Self.latest).contains(milliseconds) else { return nil }
        self.milliseconds = milliseconds
        self.received = received
    }

    /// From the answer to TIME: seconds, and microseconds.
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

    /// When an entry was made: its id begins with the time.
    func instant(ofEntry id: Substring) -> Instant? { Int(id.prefix { $0 != "-" }).flatMap(instant) }
}
