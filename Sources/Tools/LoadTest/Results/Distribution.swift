/// A histogram in a result. All times are in milliseconds.
package struct Distribution: Sendable, Codable, Equatable {
    /// The percentiles of every result, with confidence bounds.
    package static let standardPercentiles = [1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99]

    package struct Percentile: Sendable, Codable, Equatable {
        package var percentile: Double
        package var value: Double
        /// The lower and upper bound of the 99 % confidence interval; `nil` if there were too few values.
        package var low: Double
        package var high: Double?

        package init(_ percentile: Double, value: Double, bounds: (low: Double, high: Double?)) {
            self.percentile = percentile
            self.value = value
            low = bounds.low
            high = bounds.high
        }
    }

    package struct Point: Sendable, Codable, Equatable {
        package var percentile: Double
        package var value: Double
    }

    package var count: Int
    package var mean: Double
    package var min: Double
    package var max: Double
    package var percentiles: [Percentile]
    /// The points of the curve, closer together towards the end.
    package var curve: [Point]

    /// Returns the value at a percentile as text, or a dash if there are too few values for it: the 99.9th needs 1,000,
    /// because of fewer than that none is beyond it.
    package func text(at percentile: Double) -> String {
        let needed = 100 / Swift.min(percentile, 100 - percentile)
        return Double(count) >= (needed - 1e-6).rounded(.up) ? value(at: percentile).asMilliseconds : "–"
    }

    /// Returns the value at a percentile, or at the next higher one that the histogram has.
    package func value(at percentile: Double) -> Double {
        percentiles.first { $0.percentile >= percentile }?.value ?? max
    }
}
