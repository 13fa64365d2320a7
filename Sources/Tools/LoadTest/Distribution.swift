/// A histogram as a result has it. Times are milliseconds.
package struct Distribution: Sendable, Codable, Equatable {
    /// Those that every result has; each has bounds.
    package static let standardPercentiles = [1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99]

    package struct Percentile: Sendable, Codable, Equatable {
        package var percentile: Double
        package var value: Double
        /// Between these it lies with 99 % confidence; `nil` where there were too few for that.
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
    /// Finer towards the end.
    package var curve: [Point]

    /// Of one of its percentiles; of any other, no better than it was.
    package func value(at percentile: Double) -> Double {
        percentiles.first { $0.percentile >= percentile }?.value ?? max
    }
}
