/// What came of one step of the load. Times are milliseconds, sizes bytes.
package struct StepResult: Sendable, Codable, Equatable {
    /// A second of the schedule: what became of the notifications that were due in it.
    package struct Second: Sendable, Codable, Equatable {
        package var second: Int
        package var outcomes: [String: Int]
        package var p50: Double
        package var p99: Double
        package var max: Double
    }

    package struct Generator: Sendable, Codable, Equatable {
        /// How late notifications went out.
        package var lateness: Distribution
        /// How many went out more than a millisecond late.
        package var late: Int
        /// What was sent a second, against the rate that was asked for.
        package var sendRate: Double
    }

    package var label: String
    /// A second's, as asked for.
    package var rate: Double
    package var seconds: Double
    package var sent: Int
    package var outcomes: [String: Int]
    /// Useful answers (with an attachment, in time) a second.
    package var goodput: Double
    /// Answered after the deadline, or never.
    package var late: Int
    /// As `late`, had each notification's time begun when it really went out.
    package var lateFromSend: Int
    /// From when a notification was due. What was refused, failed or not answered counts with its whole deadline at least.
    package var latency: Distribution
    /// The same from when it really went out: what the generator's own lateness did not add.
    package var latencyFromSend: Distribution
    /// Of each outcome, as it was.
    package var byOutcome: [String: Distribution]
    /// What the target says of its own time.
    package var stages: [String: Distribution]
    /// What was left of the deadline, by the answers' own account.
    package var margin: Distribution?
    package var fetchedBytes: Int
    package var deliveredBytes: Int
    /// The most that the target's process had resident, where it can be seen.
    package var rss: Int?
    /// Why there was no answer, the most frequent reasons.
    package var reasons: [String: Int]
    package var timeline: [Second]
    package var generator: Generator

    package func count(_ outcome: LoadAnswer.Outcome) -> Int { outcomes[outcome.rawValue] ?? 0 }

    /// Sums of the stages' means and the rest up to the mean of all answers: where the time went.
    package var meanShares: [(stage: String, milliseconds: Double)] {
        let named = ["queue", "download", "decode", "store"].compactMap { name in
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
