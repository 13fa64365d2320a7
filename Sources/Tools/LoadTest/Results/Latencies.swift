import Histogram
import Media
import Values

/// A histogram of durations from a microsecond to an hour, with three significant digits.
package struct Latencies: Sendable {
    private var histogram = Histogram<UInt32>(
        lowestDiscernibleValue: 1,
        highestTrackableValue: 3_600_000_000,
        numberOfSignificantValueDigits: .three,
    )

    package init() {}

    package mutating func add(_ duration: Duration) {
        let microseconds = max(0, min(duration, .seconds(3600)) / .microseconds(1))
        histogram.record(UInt64(clamping: microseconds.rounded()))
    }

    package var count: Int { Int(histogram.totalCount) }

    /// Returns the values for a result, in milliseconds, with the standard percentiles and those in `more`; `nil`
    /// without durations.
    package func distribution(_ more: Set<Double> = []) -> Distribution? {
        guard count > 0 else { return nil }
        let percentiles = more.union(Distribution.standardPercentiles).sorted()
        return Distribution(
            count: count,
            mean: histogram.mean / 1000,
            min: Double(histogram.min) / 1000,
            max: Double(histogram.maxRecorded) / 1000,
            percentiles: percentiles.map { Distribution.Percentile($0, value: value(at: $0), bounds: bounds($0)) },
            curve: histogram.percentiles(ticksPerHalfDistance: 5).map {
                Distribution.Point(percentile: $0.percentileLevelIteratedTo, value: Double($0.value) / 1000)
            },
        )
    }

    private func value(at percentile: Double) -> Double {
        Double(min(histogram.valueAtPercentile(percentile), histogram.maxRecorded)) / 1000
    }

    /// Returns the bounds between which the percentile lies with 99 % confidence, for any distribution: its rank is
    /// binomially distributed. There is no upper bound if there are too few durations.
    private func bounds(_ percentile: Double) -> (low: Double, high: Double?) {
        let share = percentile / 100
        let count = Double(count)
        let spread = 2.576 * (count * share * (1 - share)).squareRoot()
        let low = max(1, (count * share - spread).rounded(.down))
        let high = (count * share + spread).rounded(.up) + 1
        return (value(at: 100 * low / count), high <= count ? value(at: 100 * high / count) : nil)
    }
}
