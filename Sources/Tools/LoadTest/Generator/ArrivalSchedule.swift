import Base
import FoundationEssentials
import Glibc
import Media

/// The times at which notifications are due. The schedule is an open loop: it does not depend on earlier notifications.
package struct ArrivalSchedule: Sequence, IteratorProtocol, Sendable {
    package enum Arrivals: String, Sendable, CaseIterable, Codable {
        /// Arrivals at equal distances.
        case fixed
        /// Arrivals at random times with exponentially distributed gaps, as from many independent senders.
        case poisson
    }

    private let arrivals: Arrivals
    private let rate: Double
    private let duration: Duration
    private var random: SplitMix
    private var number = 0
    private var last = Duration.zero

    /// Creates a schedule. `rate` is the number of notifications a second, above 0.
    package init(_ arrivals: Arrivals, rate: Double, duration: Duration, seed: UInt64) {
        self.arrivals = arrivals
        self.rate = rate
        self.duration = duration
        random = SplitMix(seed: seed)
    }

    /// Returns the next time, counted from the start; `nil` when the duration is over.
    package mutating func next() -> Duration? {
        switch arrivals {
        case .fixed: last = .seconds(clamping: Double(number) / rate)
        case .poisson: last += .seconds(clamping: -log(1 - Double.random(in: 0..<1, using: &random)) / rate)
        }
        number += 1
        return last < duration ? last : nil
    }
}

// MARK: - Rates

/// A rate of notifications a second: a number, or a multiple of the measured capacity.
package enum Rate: Sendable, Equatable {
    case perSecond(Double)
    case ofCapacity(Double)

    /// The multiples of the capacity that a ramp uses between its ends.
    private static let shares = [0.5, 0.8, 1, 1.2, 1.5, 2, 3, 5, 8]
    /// The number of steps of a ramp between two numbers, evenly spread.
    private static let stepCount = 5

    /// Parses `50`, `1.5x`, a list with commas, or a ramp such as `0.5x..3x`, and returns the rates of its steps.
    package static func steps(_ text: String) throws(LoadTestError) -> [Rate] {
        let ends = text.components(separatedBy: "..")
        guard ends.count == 2 else {
            return try text.split(separator: ",").map { part throws(LoadTestError) in try rate(part) }
        }
        switch (try rate(ends[0][...]), try rate(ends[1][...])) {
        case (.ofCapacity(let first), .ofCapacity(let last)) where first < last:
            return ([first] + shares.filter { $0 > first && $0 < last } + [last]).map { .ofCapacity($0) }
        case (.perSecond(let first), .perSecond(let last)) where first < last:
            return (0..<stepCount).map { .perSecond(first + (last - first) * Double($0) / Double(stepCount - 1)) }
        default:
            throw LoadTestError.usage("--rate \(text): a ramp goes from the smaller to the larger, such as 0.5x..3x.")
        }
    }

    private static func rate(_ text: Substring) throws(LoadTestError) -> Rate {
        var digits = text
        let isShare = text.hasSuffix("x")
        if isShare { digits = text.dropLast() } else if text.hasSuffix("/s") { digits = text.dropLast(2) }
        guard let number = Double(digits), number > 0, number <= 100_000 else {
            throw LoadTestError.usage(
                "--rate \(text): write it as 50, as 1.5x of the measured capacity, or as 0.5x..3x."
            )
        }
        return isShare ? .ofCapacity(number) : .perSecond(number)
    }

    /// The name of the step in results and after the @ of a budget.
    package var label: String {
        switch self {
        case .perSecond(let rate): "\(rate.short)/s"
        case .ofCapacity(let share): "\(share.short)x"
        }
    }

    /// Returns the number a second. `capacity` is in notifications a second.
    package func perSecond(_ capacity: Double) -> Double {
        switch self {
        case .perSecond(let rate): rate
        case .ofCapacity(let share): share * capacity
        }
    }

    package var needsCapacity: Bool {
        if case .ofCapacity = self { true } else { false }
    }
}
