import Foundation

/// The verdict on a budget in one step.
package struct Judgement: Sendable, Codable, Equatable {
    package enum Verdict: String, Sendable, Codable {
        case met, missed
        /// The step has no measurement for this budget.
        case unmeasured
        /// The budget was missed only because of the generator's own lateness, which says nothing about the target.
        case void
    }

    package var budget: String
    package var step: String
    package var verdict: Verdict
    /// A sentence for people, with the value and the amount by which it missed the budget.
    package var message: String
}

extension Budget {
    package func judge(_ step: StepResult) -> Judgement {
        func judgement(_ verdict: Judgement.Verdict, _ message: String) -> Judgement {
            Judgement(budget: text, step: step.label, verdict: verdict, message: message)
        }
        guard let value = value(in: step, fromSend: false) else {
            // Without notifications of an outcome, none of them was slow.
            if case .time(let scope?, _) = metric, LoadAnswer.Outcome(rawValue: scope) != nil {
                return judgement(.met, "there were no such notifications")
            }
            return judgement(.unmeasured, "the step did not measure it")
        }
        guard !comparison.holds(value, limit) else { return judgement(.met, unit(value)) }
        let difference = abs(value - limit)
        let share = limit > 0 ? " (\(String(format: "%.0f", 100 * difference / limit)) %)" : ""
        let by =
            comparison == .below || comparison == .above
            ? "missed by \(unit(difference))\(share)" : "missed by \(unit(difference))"
        if let own = self.value(in: step, fromSend: true), comparison.holds(own, limit) {
            return judgement(.void, "\(unit(value)), \(by); \(unit(own)) without the generator's own lateness")
        }
        return judgement(.missed, "\(unit(value)), \(by)")
    }

    /// Returns the value in the step. With `fromSend`, a notification's time starts when it was really sent.
    private func value(in step: StepResult, fromSend: Bool) -> Double? {
        switch metric {
        case .time(nil, let statistic): statistic.value(in: fromSend ? step.latencyFromSend : step.latency)
        case .time("margin"?, let statistic): step.margin.map { statistic.value(in: $0) }
        case .time(let scope?, let statistic):
            (step.byOutcome[scope] ?? step.stages[scope]).map { statistic.value(in: $0) }
        case .count("late"): Double(fromSend ? step.lateFromSend : step.late)
        case .share("late"): 100 * Double(fromSend ? step.lateFromSend : step.late) / Double(step.sent)
        case .count(let outcome): Double(step.outcomes[outcome] ?? 0)
        case .share(let outcome): 100 * Double(step.outcomes[outcome] ?? 0) / Double(step.sent)
        case .goodput: step.goodput
        case .rss: step.rss.map { Double($0) }
        }
    }

    private func unit(_ value: Double) -> String {
        switch metric {
        case .time: value.asMilliseconds
        case .count: value.short
        case .share: "\(value.brief) %"
        case .goodput: "\(value.brief)/s"
        case .rss: value.asBytes
        }
    }
}

extension Budget.Statistic {
    fileprivate func value(in distribution: Distribution) -> Double {
        switch self {
        case .percentile(let percentile): distribution.value(at: percentile)
        case .mean: distribution.mean
        case .min: distribution.min
        case .max: distribution.max
        }
    }
}
