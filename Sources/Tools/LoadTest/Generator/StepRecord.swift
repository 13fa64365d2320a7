import Base
import Histogram
import Media
import Synchronization

/// A record of the answers of one step, which many tasks add to.
package final class StepRecord: Sendable {
    /// The time after the deadline within which an answer still counts as in time, for the delays of network and
    /// generator.
    package static let grace = Duration.milliseconds(50)
    private static let reasonLimit = 8

    private struct Content {
        var start = Instant(sinceOrigin: .zero)
        var lastSend = Instant(sinceOrigin: .zero)
        var outcomes: [LoadAnswer.Outcome: Int] = [:]
        var useful = 0
        var late = 0
        var lateFromSend = 0
        var latency = Latencies()
        var latencyFromSend = Latencies()
        var byOutcome: [LoadAnswer.Outcome: Latencies] = [:]
        var stages: [String: Latencies] = [:]
        var margin = Latencies()
        var fetched = 0
        var delivered = 0
        var rss: Int?
        var reasons: [String: Int] = [:]
        var seconds: [Int: [(outcome: LoadAnswer.Outcome, latency: Duration)]] = [:]
        var lateness = Latencies()
        var sentLate = 0
    }

    private let label: String
    private let rate: Double
    private let duration: Duration
    private let percentiles: Set<Double>
    private let content = Mutex(Content())

    /// Creates a record. `percentiles` are those of budgets, in addition to the standard ones.
    package init(label: String, rate: Double, duration: Duration, percentiles: Set<Double> = []) {
        self.label = label
        self.rate = rate
        self.duration = duration
        self.percentiles = percentiles
    }

    func begin(at start: Instant) {
        content.withLock {
            $0.start = start
            $0.lastSend = start
        }
    }

    package func add(_ answer: LoadAnswer, to notification: LoadNotification) {
        let latency = answer.answered - notification.due
        let ownLatency = answer.answered - answer.sent
        // A notification without content counts at least its deadline: a quick refusal is not a quick answer.
        let least = answer.outcome.isAnswer ? .zero : notification.deadline
        let limit = notification.deadline + Self.grace
        content.withLock { content in
            content.outcomes[answer.outcome, default: 0] += 1
            content.lastSend = max(content.lastSend, answer.sent)
            let isLate = answer.outcome == .unanswered || latency > limit
            content.late += isLate ? 1 : 0
            content.lateFromSend += answer.outcome == .unanswered || ownLatency > limit ? 1 : 0
            content.useful += answer.outcome.isUseful && !isLate ? 1 : 0
            content.latency.add(max(latency, least))
            content.latencyFromSend.add(max(ownLatency, least))
            content.byOutcome[answer.outcome, default: Latencies()].add(latency)
            for (stage, duration) in answer.stages { content.stages[stage, default: Latencies()].add(duration) }
            if let margin = answer.margin { content.margin.add(margin) }
            content.fetched += answer.fetched
            content.delivered += answer.delivered
            if let reason = answer.reason { content.reasons[reason, default: 0] += 1 }
            let second = Int(clamping: (notification.due - content.start) / .seconds(1))
            content.seconds[second, default: []].append((answer.outcome, max(latency, least)))
            let lateness = answer.sent - notification.due
            content.lateness.add(lateness)
            content.sentLate += lateness > .milliseconds(1) ? 1 : 0
        }
    }

    /// Records the target's resident memory.
    package func noteResident(_ bytes: Int) {
        content.withLock { $0.rss = max($0.rss ?? 0, bytes) }
    }

    /// The result of the step; `nil` if no notification was sent.
    package var result: StepResult? {
        let content = content.withLock { $0 }
        guard let latency = content.latency.distribution(percentiles),
            let own = content.latencyFromSend.distribution(percentiles), let lateness = content.lateness.distribution()
        else { return nil }
        let seconds = duration / .seconds(1)
        let sent = latency.count
        // The last send would have ended the schedule if it had been in time. The lag gives the rate that was really
        // sent.
        let lag = max(0, (content.lastSend - content.start) / .seconds(1) - seconds)
        let reasons = content.reasons.sorted { $0.value > $1.value }.prefix(Self.reasonLimit)
        return StepResult(
            label: label,
            rate: rate,
            seconds: seconds,
            sent: sent,
            outcomes: Dictionary(uniqueKeysWithValues: content.outcomes.map { ($0.key.rawValue, $0.value) }),
            goodput: Double(content.useful) / seconds,
            late: content.late,
            lateFromSend: content.lateFromSend,
            latency: latency,
            latencyFromSend: own,
            byOutcome: content.byOutcome.reduce(into: [:]) { $0[$1.key.rawValue] = $1.value.distribution(percentiles) },
            stages: content.stages.compactMapValues { $0.distribution(percentiles) },
            margin: content.margin.distribution(percentiles),
            fetchedBytes: content.fetched,
            deliveredBytes: content.delivered,
            rss: content.rss,
            reasons: Dictionary(uniqueKeysWithValues: reasons.map { ($0.key, $0.value) }),
            timeline: content.seconds.sorted { $0.key < $1.key }.map { Self.second($0.key, $0.value) },
            generator: .init(
                lateness: lateness,
                late: content.sentLate,
                sendRate: Double(sent) / (seconds + lag),
            ),
        )
    }

    private static func second(
        _ number: Int,
        _ answers: [(outcome: LoadAnswer.Outcome, latency: Duration)],
    ) -> StepResult.Second {
        let sorted = answers.map(\.latency.inMilliseconds).sorted()
        func value(_ share: Double) -> Double {
            sorted[min(sorted.count - 1, Int(clamping: share * Double(sorted.count)))]
        }
        return StepResult.Second(
            second: number,
            outcomes: answers.reduce(into: [:]) { $0[$1.outcome.rawValue, default: 0] += 1 },
            p50: value(0.5),
            p99: value(0.99),
            max: value(1),
        )
    }
}

// MARK: - Latencies

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
            percentiles: percentiles.map { percentile -> Distribution.Percentile in
                let (low, high) = bounds(percentile)
                return .init(percentile: percentile, value: value(at: percentile), low: low, high: high)
            },
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
