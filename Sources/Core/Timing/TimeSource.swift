import Glibc
import Values

/// A point on the clock for deadlines. It has no meaning outside this process.
package struct Instant: InstantProtocol {
    package var sinceOrigin: Duration

    package init(sinceOrigin: Duration) { self.sinceOrigin = sinceOrigin }

    package func advanced(by duration: Duration) -> Instant { Instant(sinceOrigin: sinceOrigin + duration) }

    package func duration(to other: Instant) -> Duration { other.sinceOrigin - sinceOrigin }

    package static func < (left: Instant, right: Instant) -> Bool { left.sinceOrigin < right.sinceOrigin }
    package static func + (left: Instant, right: Duration) -> Instant { left.advanced(by: right) }
    package static func - (left: Instant, right: Duration) -> Instant { left.advanced(by: .zero - right) }
    package static func - (left: Instant, right: Instant) -> Duration { right.duration(to: left) }
}

/// The clock for deadlines. Tests use one that stands still until they move it.
package protocol TimeSource: Clock where Instant == Timing.Instant {}

extension TimeSource {
    package var minimumResolution: Duration { .nanoseconds(1) }

    /// Returns at `instant`, or throws `CancellationError` as soon as the task is cancelled.
    package func sleep(until instant: Instant) async throws { try await sleep(until: instant, tolerance: nil) }
}

/// The machine's monotonic clock.
package struct SystemTime: TimeSource {
    package init() {}

    package var now: Instant {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(sinceOrigin: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
    }

    package func sleep(until instant: Instant, tolerance: Duration?) async throws {
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
