import Foundation

/// How many notifications a second: a number, or a share of the measured capacity.
package enum Rate: Sendable, Equatable {
    case perSecond(Double)
    case ofCapacity(Double)

    /// The steps between two shares of the capacity.
    private static let shares = [0.5, 0.8, 1, 1.2, 1.5, 2, 3, 5, 8]
    /// Between two numbers there are so many, evenly spread.
    private static let stepCount = 5

    /// `50`, `1.5x`, several with commas, or `0.5x..3x`: the steps of a ramp.
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

    /// What the step is called in results and after the @ of a budget.
    package var label: String {
        switch self {
        case .perSecond(let rate): "\(rate.short)/s"
        case .ofCapacity(let share): "\(share.short)x"
        }
    }

    /// `capacity` is a second's.
    package func perSecond(_ capacity: Double) -> Double {
        switch self {
        case .perSecond(let rate): rate
        case .ofCapacity(let share): share * capacity
        }
    }

    package var needsCapacity: Bool {
        if case .ofCapacity = self { return true }
        return false
    }
}
