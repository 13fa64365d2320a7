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
