package import Glibc

/// A point in calendar time, as files and signed URLs use it: since 1970 in UTC, without leap seconds.
package struct UnixTime: Comparable, Hashable, Sendable {
    package var sinceEpoch: Duration

    package init(sinceEpoch: Duration) { self.sinceEpoch = sinceEpoch }

    package init(seconds: Int) { sinceEpoch = .seconds(seconds) }

    package init(_ time: timespec) { sinceEpoch = .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec) }

    /// The current time of the machine's clock.
    package static var now: UnixTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UnixTime(time)
    }

    /// Whole seconds, rounded down.
    package var seconds: Int { Int(sinceEpoch.components.seconds) }

    package var fileTime: timespec {
        let (seconds, attoseconds) = sinceEpoch.components
        return timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    }

    package static func < (left: UnixTime, right: UnixTime) -> Bool { left.sinceEpoch < right.sinceEpoch }
    package static func + (left: UnixTime, right: Duration) -> UnixTime {
        UnixTime(sinceEpoch: left.sinceEpoch + right)
    }
    package static func - (left: UnixTime, right: UnixTime) -> Duration { left.sinceEpoch - right.sinceEpoch }
}
