// `timespec` belongs to whichever of the two the compiler loads first, so it is in no declaration for other modules.
import CLinux
import Glibc

/// A point in calendar time, as files and signed URLs use it: since 1970 in UTC, without leap seconds.
package struct UnixTime: Comparable, Hashable, Sendable {
    package var sinceEpoch: Duration

    package init(sinceEpoch: Duration) { self.sinceEpoch = sinceEpoch }

    package init(seconds: Int) { sinceEpoch = .seconds(seconds) }

    package init(seconds: Int, nanoseconds: Int) { sinceEpoch = .seconds(seconds) + .nanoseconds(nanoseconds) }

    /// The current time of the machine's clock.
    package static var now: UnixTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UnixTime(seconds: time.tv_sec, nanoseconds: time.tv_nsec)
    }

    /// Whole seconds, rounded down.
    package var seconds: Int { Int(sinceEpoch.components.seconds) }

    /// The nanoseconds of the second that has begun.
    package var nanoseconds: Int { Int(sinceEpoch.components.attoseconds / 1_000_000_000) }

    package static func < (left: UnixTime, right: UnixTime) -> Bool { left.sinceEpoch < right.sinceEpoch }
    package static func + (left: UnixTime, right: Duration) -> UnixTime {
        UnixTime(sinceEpoch: left.sinceEpoch + right)
    }
    package static func - (left: UnixTime, right: Duration) -> UnixTime {
        UnixTime(sinceEpoch: left.sinceEpoch - right)
    }
    package static func - (left: UnixTime, right: UnixTime) -> Duration { left.sinceEpoch - right.sinceEpoch }
}

// MARK: - Calendar time as text

extension UnixTime {
    /// Returns the time in UTC as strftime(3) writes it, in the C locale: at most 63 bytes.
    package func text(_ form: String) -> String {
        var (seconds, fields) = unsafe (time_t(seconds), tm())
        var bytes = [CChar](repeating: 0, count: 64)
        unsafe gmtime_r(&seconds, &fields)
        let count = unsafe strftime(&bytes, bytes.count, form, &fields)
        return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Reads a text that has, from its beginning to its end, the form in which strptime(3) reads a time in UTC.
    package init?(_ text: String, as form: String) {
        var seconds = 0
        guard unsafe clinux_read_time(text, form, &seconds) == 1 else { return nil }
        self.init(seconds: seconds)
    }
}

// MARK: - Durations as text

/// Durations as people write them in options and headers: `800ms`, `20s`, `5m`, `24h`.
package enum DurationText {
    /// The units. Of units with a common ending, the longest comes first: `ms` before `s` and `m`.
    private static let units: [(suffix: String, milliseconds: Double)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000),
    ]

    /// Returns the duration, or `nil` if `text` is not a duration: a negative or missing number, or a missing unit.
    package static func parse(_ text: String) -> Duration? {
        guard let unit = units.first(where: { text.hasSuffix($0.suffix) }) else { return nil }
        let digits = text.dropLast(unit.suffix.count)
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
            let number = Double(digits), number * unit.milliseconds < 1e12
        else { return nil }
        return .milliseconds(clamping: number * unit.milliseconds)
    }

    /// Returns the duration as text that `parse` reads, in whole seconds where possible.
    package static func text(_ duration: Duration) -> String {
        let milliseconds = duration.milliseconds
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
    }
}
