import Base
import Foundation
import Media

/// The result of one step of the load. Times are in milliseconds, sizes in bytes.
package struct StepResult: Sendable, Codable, Equatable {
    /// One second of the schedule, with the outcomes of the notifications that were due in it.
    package struct Second: Sendable, Codable, Equatable {
        package var second: Int
        package var outcomes: [String: Int]
        package var p50: Double
        package var p99: Double
        package var max: Double
    }

    package struct Generator: Sendable, Codable, Equatable {
        /// The times by which notifications were sent late.
        package var lateness: Distribution
        /// The number of notifications that were sent more than a millisecond late.
        package var late: Int
        /// The number of notifications sent a second. Compare it with the requested rate.
        package var sendRate: Double
    }

    package var label: String
    /// The requested rate, in notifications a second.
    package var rate: Double
    package var seconds: Double
    package var sent: Int
    package var outcomes: [String: Int]
    /// The number of useful answers a second: with an attachment, and in time.
    package var goodput: Double
    /// The number of notifications answered after the deadline, or never.
    package var late: Int
    /// The value of `late` if each notification's time started when it was really sent.
    package var lateFromSend: Int
    /// The latencies from the due times. A notification that was refused, failed, or not answered counts at least its
    /// deadline.
    package var latency: Distribution
    /// The latencies from the times of sending, without the generator's own lateness.
    package var latencyFromSend: Distribution
    /// The latencies of each outcome, without a minimum.
    package var byOutcome: [String: Distribution]
    /// The times that the target reports for each stage.
    package var stages: [String: Distribution]
    /// The time left until the deadline, as the answers report it.
    package var margin: Distribution?
    package var fetchedBytes: Int
    package var deliveredBytes: Int
    /// The largest resident memory of the target's process, in bytes, if it can be measured.
    package var rss: Int?
    /// The most frequent reasons for missing answers, with their numbers.
    package var reasons: [String: Int]
    package var timeline: [Second]
    package var generator: Generator

    package func count(_ outcome: LoadAnswer.Outcome) -> Int { outcomes[outcome.rawValue] ?? 0 }

    /// The number of notifications that got an attachment.
    var deliveredCount: Int { LoadAnswer.Outcome.allCases.filter(\.isUseful).map(count).reduce(0, +) }

    package var hasAnswers: Bool { LoadAnswer.Outcome.allCases.contains { $0.isAnswer && count($0) > 0 } }

    /// The mean times of the stages, and the rest up to the mean of all answers.
    package var meanShares: [(stage: String, milliseconds: Double)] {
        let named = ["queue", "download", "wait", "decode", "store"].compactMap { name in
            stages[name].map { (name, $0.mean) }
        }
        guard let total = stages["total"], !named.isEmpty else { return [] }
        let inside = named.reduce(0) { $0 + $1.1 }
        let answered = LoadAnswer.Outcome.allCases.filter(\.isAnswer).compactMap { byOutcome[$0.rawValue] }
        let count = answered.reduce(0) { $0 + Double($1.count) }
        let mean = answered.reduce(0) { $0 + $1.mean * Double($1.count) } / max(count, 1)
        return named + [
            ("rest of the worker", max(0, total.mean - inside)), ("before and after", max(0, mean - total.mean)),
        ]
    }
}

// MARK: - Distributions

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

    /// Returns the number of values that a percentile needs: the 99.9th needs 1,000, because of fewer than that none is
    /// beyond it.
    static func countNeeded(for percentile: Double) -> Int {
        Int(clamping: (100 / Swift.min(percentile, 100 - percentile) - 1e-6).rounded(.up))
    }

    /// Returns the value at a percentile as text, or a dash if there are too few values for it.
    package func text(at percentile: Double) -> String {
        count >= Self.countNeeded(for: percentile) ? value(at: percentile).asMilliseconds : "–"
    }

    /// Returns the value at a percentile, or at the next higher one that the histogram has.
    package func value(at percentile: Double) -> Double {
        percentiles.first { $0.percentile >= percentile }?.value ?? max
    }
}

// MARK: - Figures

extension Double {
    /// The number with at most three decimal places, without trailing zeros.
    package var short: String {
        var text = String(format: "%.3f", self)
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }

    /// The number with at most two decimal places.
    package var brief: String { ((self * 100).rounded() / 100).short }

    /// The number of milliseconds, written for people: `850 µs`, `12.3 ms`, `1.85 s`.
    package var asMilliseconds: String {
        switch abs(self) {
        case ..<1: "\(String(format: "%.0f", self * 1000)) µs"
        case ..<10: "\(String(format: "%.2f", self)) ms"
        case ..<1000: "\(String(format: "%.1f", self)) ms"
        default: "\(String(format: "%.2f", self / 1000)) s"
        }
    }

    /// The number of bytes, written for people in decimal units.
    package var asBytes: String {
        switch self {
        case ..<1e3: "\(String(format: "%.0f", self)) B"
        case ..<1e6: "\(String(format: "%.1f", self / 1e3)) kB"
        case ..<1e9: "\(String(format: "%.1f", self / 1e6)) MB"
        default: "\(String(format: "%.2f", self / 1e9)) GB"
        }
    }
}

extension Duration {
    /// The duration in milliseconds, with a fraction.
    package var inMilliseconds: Double { self / .milliseconds(1) }
}
