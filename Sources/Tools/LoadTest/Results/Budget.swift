import Base
import Foundation
import Media

/// A limit that a load test must keep: `p99<1.8s`, `late=0`, `degraded<5%`, `rss<400MB`, `decode.p90<300ms`,
/// `goodput>50/s`.
package struct Budget: Sendable, Equatable {
    package enum Statistic: Sendable, Equatable {
        case percentile(Double), mean, min, max
    }

    package enum Metric: Sendable, Equatable {
        /// The time of all notifications, or of one outcome, one stage, or the margin.
        case time(of: String?, Statistic)
        /// The number of late notifications, or of those with one outcome.
        case count(String)
        case share(String)
        case goodput, rss

        /// A Boolean value that indicates whether lower values are better, as for times (except the margin) and memory.
        var isBetterLow: Bool {
            switch self {
            case .time(let subject, _): subject != "margin"
            case .rss: true
            case .count, .share, .goodput: false
            }
        }
    }

    package enum Comparison: String, Sendable, CaseIterable {
        case atMost = "<=", atLeast = ">=", below = "<", above = ">", equal = "="

        func holds(_ value: Double, _ limit: Double) -> Bool {
            switch self {
            case .atMost: value <= limit
            case .atLeast: value >= limit
            case .below: value < limit
            case .above: value > limit
            case .equal: value == limit
            }
        }
    }

    package static let counted = ["late"] + LoadAnswer.Outcome.allCases.map(\.rawValue)
    package static let timed = LoadAnswer.Outcome.allCases.map(\.rawValue) + stages + ["margin"]
    static let stages = ["queue", "download", "wait", "decode", "store", "total"]
    static let advice = """
        write it as p99<1.8s, max<5s, late=0, degraded<5%, goodput>50/s, rss<400MB, decode.p90<300ms or \
        margin.p1>200ms, with @1x behind it for one step
        """

    /// The text of the budget, as the user wrote it.
    package var text: String
    package var metric: Metric
    package var comparison: Comparison
    /// The limit in milliseconds, notifications, percent, notifications a second, or bytes.
    package var limit: Double
    /// The label of the step that the budget applies to; `nil` for every step.
    package var step: String?

    package init(_ text: String) throws(LoadTestError) {
        func failure(_ reason: String) -> LoadTestError { .usage("--budget '\(text)': \(reason); \(Self.advice).") }
        self.text = text
        let parts = text.filter { !$0.isWhitespace }.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count <= 2, let rule = parts.first, parts.allSatisfy({ !$0.isEmpty }) else {
            throw failure("write at most one step after an @")
        }
        step = parts.count == 2 ? String(parts[1]) : nil
        guard let sign = rule.firstIndex(where: { "<>=".contains($0) }),
            let comparison = Comparison.allCases.first(where: { rule[sign...].hasPrefix($0.rawValue) })
        else { throw failure("it has no <, <=, =, >= or >") }
        self.comparison = comparison
        let name = String(rule[..<sign])
        let value = String(rule[sign...].dropFirst(comparison.rawValue.count))
        guard let (metric, limit) = Self.read(name, value) else {
            throw failure(
                Self.isKnown(name) ? "\"\(value)\" is not a value for \(name)" : "\"\(name)\" is not measured"
            )
        }
        if metric.isBetterLow, [.above, .atLeast].contains(comparison) {
            throw failure("it would fail where \(name) is good")
        }
        self.metric = metric
        self.limit = limit
    }

    /// The percentile that the budget limits; `nil` if it limits something else.
    package var percentile: Double? {
        guard case .time(_, .percentile(let percentile)) = metric else { return nil }
        return percentile
    }

    private static func isKnown(_ name: String) -> Bool {
        counted.contains(name) || ["goodput", "rss"].contains(name) || time(name) != nil
    }

    private static func read(_ name: String, _ value: String) -> (Metric, Double)? {
        switch name {
        case "rss": return ByteSizeText.parse(value).map { (.rss, Double($0)) }
        case "goodput": return value.hasSuffix("/s") ? Double(value.dropLast(2)).map { (.goodput, $0) } : nil
        case _ where counted.contains(name):
            if value.hasSuffix("%") {
                return Double(value.dropLast()).flatMap { (0...100).contains($0) ? (.share(name), $0) : nil }
            }
            return Int(value).flatMap { $0 >= 0 ? (.count(name), Double($0)) : nil }
        default:
            guard let metric = time(name), let limit = DurationText.parse(value) else { return nil }
            return (metric, limit.inMilliseconds)
        }
    }

    private static func time(_ name: String) -> Metric? {
        let parts = name.split(separator: ".", maxSplits: 1)
        if let first = parts.first, parts.count == 2, timed.contains(String(first)) {
            return statistic(String(parts[1])).map { .time(of: String(first), $0) }
        }
        return statistic(name).map { .time(of: nil, $0) }
    }

    private static func statistic(_ name: String) -> Statistic? {
        switch name {
        case "mean": return .mean
        case "min": return .min
        case "max": return .max
        default:
            guard name.hasPrefix("p"), let percentile = Double(name.dropFirst()), percentile > 0, percentile < 100
            else {
                return nil
            }
            return .percentile(percentile)
        }
    }
}

// MARK: - Judging

/// The verdict on a budget in one step.
package struct Judgement: Sendable, Codable, Equatable {
    package enum Verdict: String, Sendable, Codable {
        case met, missed
        /// The step has no measurement for this budget.
        case unmeasured
        /// The step has too few notifications for this percentile.
        case unclear
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
        if case .time(let scope, .percentile(let percentile)) = metric, LoadAnswer.Outcome(rawValue: scope ?? "") == nil
        {
            let needed = Distribution.countNeeded(for: percentile)
            let count = step.latency.count
            guard count >= needed else {
                return judgement(.unclear, "it needs \(needed) notifications, and the step has \(count)")
            }
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
