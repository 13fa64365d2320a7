import Foundation

/// The difference between one figure of a step and that of an older run.
package struct Change: Sendable, Codable, Equatable {
    package enum Verdict: String, Sendable, Codable {
        case worse, better, same
        /// The difference is large, and may be chance: there were too few notifications.
        case unclear
    }

    package var step: String
    package var figure: String
    package var old: Double
    package var new: Double
    package var verdict: Verdict
    package var isWorse: Bool
    package var message: String

    init(step: String, figure: String, old: Double, new: Double, verdict: Verdict, message: String) {
        self.step = step
        self.figure = figure
        self.old = old
        self.new = new
        self.verdict = verdict
        isWorse = verdict == .worse
        self.message = message
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        step = try values.decode(String.self, forKey: .step)
        figure = try values.decode(String.self, forKey: .figure)
        old = try values.decode(Double.self, forKey: .old)
        new = try values.decode(Double.self, forKey: .new)
        isWorse = try values.decode(Bool.self, forKey: .isWorse)
        message = try values.decode(String.self, forKey: .message)
        // Older results have no verdict.
        verdict = try values.decodeIfPresent(Verdict.self, forKey: .verdict) ?? (isWorse ? .worse : .same)
    }
}

/// A comparison of two runs with the same settings.
///
/// A percentile differs if all of this holds: the 99 % confidence intervals of its rank do not overlap, so that it is
/// not chance; it changed by more than a tenth; and it changed by more than two milliseconds, because two runs on one
/// machine differ by more than chance. It is unclear if only the first of these does not hold. A percentile with too few
/// answers (no upper bound) is not compared. A share of late, refused, failed, or unanswered notifications differs if it
/// changed by more than three standard deviations.
package struct RunComparison {
    private static let percentiles: Set<Double> = [50, 90, 99, 99.9]
    private static let leastShare = 0.1
    private static let leastMilliseconds = 2.0
    private static let deviations = 3.0
    /// The change of a share, in percentage points, that is large enough to be told as unclear.
    private static let leastPoints = 0.01

    package let changes: [Change]

    /// Compares the runs. Throws if their settings differ, or if they have no step in common.
    package init(of new: LoadResult, with old: LoadResult) throws(LoadTestError) {
        try Self.checkSettings(new, old)
        var changes: [Change] = []
        for step in new.steps {
            guard let before = old.steps.first(where: { $0.label == step.label }) else { continue }
            changes += Self.percentiles(before, step) + Self.shares(before, step)
        }
        guard !changes.isEmpty else {
            throw LoadTestError.failure(
                "The older result has no step in common with this one. Compare runs with the same --rate."
            )
        }
        self.changes = changes
    }

    /// Throws if the runs measured different things.
    private static func checkSettings(_ new: LoadResult, _ old: LoadResult) throws(LoadTestError) {
        if let after = new.settings, let before = old.settings { return try after.checkEqual(to: before) }
        // A result of an older attachd has only these.
        var differences: [String] = []
        if new.deadline != old.deadline { differences.append("--deadline") }
        if new.arrivals != old.arrivals { differences.append("--arrivals") }
        if new.uniqueSources != old.uniqueSources { differences.append("--same-sources") }
        try RunSettings.check(differences)
    }

    private static func percentiles(_ old: StepResult, _ new: StepResult) -> [Change] {
        old.latency.percentiles.filter { percentiles.contains($0.percentile) }.compactMap { before in
            guard let after = new.latency.percentiles.first(where: { $0.percentile == before.percentile }),
                let oldHigh = before.high, let newHigh = after.high
            else { return nil }
            let rise = after.value - before.value
            let least = max(leastShare * min(before.value, after.value), leastMilliseconds)
            let verdict: Change.Verdict =
                if abs(rise) <= least {
                    .same
                } else if after.low > oldHigh {
                    .worse
                } else if before.low > newHigh {
                    .better
                } else {
                    .unclear
                }
            return Change(
                step: new.label,
                figure: "p\(before.percentile.short)",
                old: before.value,
                new: after.value,
                verdict: verdict,
                message:
                    "\(before.value.asMilliseconds) → \(after.value.asMilliseconds) (\(sign(rise, before.value))), "
                    + "of \(old.latency.count) and \(new.latency.count)",
            )
        }
    }

    private static func shares(_ old: StepResult, _ new: StepResult) -> [Change] {
        let outcomes: [LoadAnswer.Outcome] = [.refused, .failed, .unanswered, .degraded, .original]
        let figures: [(String, (StepResult) -> Int)] =
            [("late", { $0.late })] + outcomes.map { outcome in (outcome.rawValue, { $0.count(outcome) }) }
        return figures.map { name, count in
            let (before, after) = (Double(count(old)) / Double(old.sent), Double(count(new)) / Double(new.sent))
            let common = (Double(count(old)) + Double(count(new))) / (Double(old.sent) + Double(new.sent))
            let deviation = (common * (1 - common) * (1 / Double(old.sent) + 1 / Double(new.sent))).squareRoot()
            let rise = after - before
            let verdict: Change.Verdict =
                if abs(rise) > deviations * deviation {
                    rise > 0 ? .worse : .better
                } else {
                    abs(rise) > leastPoints && abs(rise) > leastShare * min(before, after) ? .unclear : .same
                }
            return Change(
                step: new.label,
                figure: name,
                old: before,
                new: after,
                verdict: verdict,
                message: "\((100 * before).brief) % → \((100 * after).brief) %, of \(old.sent) and \(new.sent)",
            )
        }
    }

    private static func sign(_ rise: Double, _ old: Double) -> String {
        String(format: "%+.1f %%", old > 0 ? 100 * rise / old : 0)
    }
}
