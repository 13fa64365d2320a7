package import Timing

/// The clock of a queue's server, as far as its answers tell.
///
/// The server read its clock at some time between a request and its answer. So each answer gives bounds for the difference
/// between the clocks, and wide ones if the answer was late. The estimate stays where it is within these bounds, so that the
/// delay of one answer does not move deadlines into the future.
package struct RemoteClock: Sendable {
    /// The time of the local clock at which the server's clock showed 0.
    private var origin: Duration?

    package init() {}

    /// A Boolean value that indicates whether there was a reading.
    package var isKnown: Bool { origin != nil }

    /// Takes a reading of the server's clock, and returns the local time at which it was made.
    package mutating func instant(of reading: Duration, asked: Instant, received: Instant) -> Instant {
        let (earliest, latest) = (asked.sinceOrigin - reading, received.sinceOrigin - reading)
        // At first, a deadline is better taken too early than too late.
        let origin = min(max(self.origin ?? earliest, earliest), latest)
        self.origin = origin
        return Instant(sinceOrigin: origin + reading)
    }
}
