import Values

/// Durations as people write them in options and headers: `800ms`, `20s`, `5m`, `24h`.
package enum DurationText {
    /// The units, of those with a common ending the longest first: `ms` before `s` and `m`.
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
