import Foundation

/// The difference between one figure of a step and that of an older run.
package struct Change: Sendable, Codable, Equatable {
    package var step: String
    package var figure: String
    package var old: Double
    package var new: Double
    package var isWorse: Bool
    package var message: String
}

/// A comparison of two runs.
///
/// A percentile is worse if all of this holds: the 99 % confidence intervals of its rank do not overlap, so that it is
/// not chance; it rose by more than a tenth; and it rose by more than two milliseconds, because two runs on one machine
/// differ by more than chance. A percentile with too few answers (no upper bound) is not compared. A share of late,
/// refused, failed, or unanswered notifications is worse if it rose by more than three standard deviations.
package struct RunComparison {
    private static let percentiles: Set<Double> = [50, 90, 99, 99.9]
    private static let leastShare = 0.1
    private static let leastMilliseconds = 2.0
    private static let deviations = 3.0

    package let changes: [Change]

    /// Compares the runs. Throws if they have no step in common.
    package init(of new: LoadResult, with old: LoadResult) throws(LoadTestError) {
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

    private static func percentiles(_ old: StepResult, _ new: StepResult) -> [Change] {
        old.latency.percentiles.filter { percentiles.contains($0.percentile) }.compactMap { before in
            guard let after = new.latency.percentiles.first(where: { $0.percentile == before.percentile }),
                let high = before.high, after.high != nil
            else { return nil }
            let rise = after.value - before.value
            let isWorse = after.low > high && rise > leastShare * before.value && rise > leastMilliseconds
            return Change(
                step: new.label,
                figure: "p\(before.percentile.short)",
                old: before.value,
                new: after.value,
                isWorse: isWorse,
                message: "\(before.value.asMilliseconds) → \(after.value.asMilliseconds) (\(sign(rise, before.value)))",
            )
        }
    }

    private static func shares(_ old: StepResult, _ new: StepResult) -> [Change] {
        let refused = LoadAnswer.Outcome.refused
        let figures: [(String, (StepResult) -> Int)] = [
            ("late", \.late), (refused.rawValue, { $0.count(.refused) }), ("failed", { $0.count(.failed) }),
            ("degraded", { $0.count(.degraded) }), ("original", { $0.count(.original) }),
        ]
        return figures.map { name, count in
            let (before, after) = (Double(count(old)) / Double(old.sent), Double(count(new)) / Double(new.sent))
            let common = (Double(count(old)) + Double(count(new))) / (Double(old.sent) + Double(new.sent))
            let deviation = (common * (1 - common) * (1 / Double(old.sent) + 1 / Double(new.sent))).squareRoot()
            return Change(
                step: new.label,
                figure: name,
                old: before,
                new: after,
                isWorse: after - before > deviations * deviation,
                message: "\((100 * before).brief) % → \((100 * after).brief) %",
            )
        }
    }

    private static func sign(_ rise: Double, _ old: Double) -> String {
        String(format: "%+.1f %%", old > 0 ? 100 * rise / old : 0)
    }
}
