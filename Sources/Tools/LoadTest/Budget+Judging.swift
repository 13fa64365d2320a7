import Foundation

/// What came of a budget in one step.
package struct Judgement: Sendable, Codable, Equatable {
    package enum Verdict: String, Sendable, Codable {
        case met, missed
        /// There is nothing to judge it by.
        case unmeasured
        /// It was missed by what the generator's own lateness added: nothing is known of the target.
        case void
    }

    package var budget: String
    package var step: String
    package var verdict: Verdict
    /// In words: the value, and by how much it was missed.
    package var message: String
}

extension Budget {
    package func judge(_ step: StepResult) -> Judgement {
        func judgement(_ verdict: Judgement.Verdict, _ message: String) -> Judgement {
            Judgement(budget: text, step: step.label, verdict: verdict, message: message)
        }
        guard let value = value(in: step, fromSend: false) else {
            // None of an outcome is no slow one of it.
            if case .time(let scope?, _) = metric, LoadAnswer.Outcome(rawValue: scope) != nil {
                return judgement(.met, "there were none")
            }
            return judgement(.unmeasured, "there is nothing to judge it by")
        }
        guard !comparison.holds(value, limit) else { return judgement(.met, unit(value)) }
        let difference = abs(value - limit)
        let share = limit > 0 ? " (\(String(format: "%.0f", 100 * difference / limit)) %)" : ""
        let by =
            comparison == .below || comparison == .above
            ? "missed by \(unit(difference))\(share)" : "missed by \(unit(difference))"
        if let own = self.value(in: step, fromSend: true), comparison.holds(own, limit) {
            return judgement(.void, "\(unit(value)), \(by); \(unit(own)) without what the generator itself was late")
        }
        return judgement(.missed, "\(unit(value)), \(by)")
    }

    /// `fromSend` takes a notification's time from when it really went out.
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
