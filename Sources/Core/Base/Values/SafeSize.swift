/// Arithmetic on numbers from outside: `nil` instead of a trap when the result does not fit into an `Int`.
package enum SafeSize {
    package static func product(_ factors: Int...) -> Int? {
        var result = 1
        for factor in factors {
            let (partial, overflow) = result.multipliedReportingOverflow(by: factor)
            guard !overflow, factor >= 0 else { return nil }
            result = partial
        }
        return result
    }

    package static func sum(_ terms: Int...) -> Int? {
        var result = 0
        for term in terms {
            let (partial, overflow) = result.addingReportingOverflow(term)
            guard !overflow, term >= 0 else { return nil }
            result = partial
        }
        return result
    }
}

extension FixedWidthInteger {
    /// Converts the whole part of `value`: to the nearest bound if it is too large or too small, and to 0 if it is not
    /// a number.
    ///
    /// `Int(value)` ends the process for the same values. `Scripts/numbers` finds it.
    @inlinable
    package init(clamping value: some BinaryFloatingPoint) {
        if let exact = Self(exactly: value.rounded(.towardZero)) {
            self = exact
        } else {
            self = value.isNaN ? 0 : value < 0 ? .min : .max
        }
    }

    /// Returns the sum, or the nearest bound if the sum does not fit.
    package func addingClamped(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}

extension Duration {
    /// The longest duration that a number from outside becomes: 31 years. Sums of several fit into an `Int64`, even in
    /// nanoseconds.
    package static let longest = Duration.seconds(1_000_000_000)

    /// Returns `value` seconds, at most `longest` in either direction, and zero if `value` is not a number.
    package static func seconds(clamping value: Double) -> Duration {
        guard !value.isNaN else { return .zero }
        let bound = 1e9
        let (whole, part) = (value.rounded(.towardZero), value.truncatingRemainder(dividingBy: 1))
        guard abs(whole) < bound else { return value < 0 ? .zero - longest : longest }
        return .seconds(Int64(clamping: whole)) + .nanoseconds(Int64(clamping: (part * 1e9).rounded()))
    }

    package static func milliseconds(clamping value: Double) -> Duration { .seconds(clamping: value / 1000) }
}
