import Glibc
import Values

/// A point on the clock for deadlines. It has no meaning outside this process.
package struct Instant: Comparable, Hashable, Sendable {
    package var sinceOrigin: Duration

    package init(sinceOrigin: Duration) { self.sinceOrigin = sinceOrigin }

    package static func < (left: Instant, right: Instant) -> Bool { left.sinceOrigin < right.sinceOrigin }
    package static func + (left: Instant, right: Duration) -> Instant {
        Instant(sinceOrigin: left.sinceOrigin + right)
    }
    package static func - (left: Instant, right: Duration) -> Instant {
        Instant(sinceOrigin: left.sinceOrigin - right)
    }
    package static func - (left: Instant, right: Instant) -> Duration { left.sinceOrigin - right.sinceOrigin }
}

/// The clock for deadlines. Tests use one that stands still until they move it.
package protocol TimeSource: Sendable {
    var now: Instant { get }
    func sleep(until instant: Instant) async throws
}

/// The machine's monotonic clock.
package struct SystemTime: TimeSource {
    package init() {}

    package var now: Instant {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(sinceOrigin: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
    }

    package func sleep(until instant: Instant) async throws {
        try await Alarms.shared.sleep(until: instant)
    }
}

extension Duration {
    /// Whole milliseconds, rounded to the nearest.
    package var milliseconds: Int {
        let (seconds, attoseconds) = components
        let (whole, overflow) = Int(seconds).multipliedReportingOverflow(by: 1000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        return whole.addingClamped(Int((attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000))
    }
}
