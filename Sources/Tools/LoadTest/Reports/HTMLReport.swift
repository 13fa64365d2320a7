import FoundationEssentials
import Mustache
import Templates

/// A result as one HTML file that loads nothing from elsewhere.
package struct HTMLReport {
    private let result: LoadResult

    package init(_ result: LoadResult) { self.result = result }

    package var html: String { HTMLText.template(embedded: PackageResources.report_mustache).render(content) }

    private var content: [String: Any] {
        var content: [String: Any] = [
            "target": result.target,
            "started": result.started.formatted(.iso8601),
            "arrivals": result.arrivals.rawValue,
            "deadline": result.deadline.asMilliseconds,
            "seed": "\(result.seed)",
            "sources": result.uniqueSources ? "a source URL for each notification" : "shared source URLs",
            "verdict": result.verdict.rawValue,
            "verdictText": Self.text(result),
            "voidReasons": result.voidReasons,
            "hasJudgements": !result.judgements.isEmpty,
            "judgements": result.judgements.map { judgement in
                [
                    "budget": judgement.budget, "step": judgement.step, "verdict": judgement.verdict.rawValue,
                    "name": judgement.verdict == .met ? "kept" : judgement.verdict.rawValue,
                    "message": judgement.message,
                ]
            },
            "hasChanges": !result.changes.isEmpty,
            "changes": result.changes.map { change in
                [
                    "figure": change.figure, "step": change.step, "name": change.verdict.rawValue,
                    "message": change.message,
                ]
            },
            "steps": result.steps.map { StepView($0, deadline: result.deadline).content },
        ]
        if result.steps.count > 1 { content["stepsPlot"] = PlotWidth.both { StepsPlot(result.steps, $0).svg } }
        if let capacity = result.capacity {
            content["capacity"] = "\(capacity.perSecond.brief)/s with \(capacity.clients) clients"
        }
        return content
    }

    private static func text(_ result: LoadResult) -> String {
        switch result.verdict {
        case .passed: "All budgets kept"
        case .missed: "A budget was missed, or something got worse"
        case .void: "Void: the run says nothing about the target"
        case .measured: "Measured, without budgets"
        case .failed: result.failure
        }
    }
}

// MARK: - One step

/// The values of one step for the report's template: words and plots.
struct StepView {
    private let step: StepResult
    /// The deadline, in milliseconds.
    private let deadline: Double

    init(_ step: StepResult, deadline: Double) {
        self.step = step
        self.deadline = deadline
    }

    var content: [String: Any] {
        var content: [String: Any] = Self.percentiles(step.latency)
        content["label"] = step.label
        content["rate"] = step.rate.brief
        content["seconds"] = step.seconds.short
        content["sent"] = "\(step.sent)"
        content["goodput"] = step.goodput.brief
        content["late"] = "\(step.late)"
        content["margin"] = step.margin?.min.asMilliseconds ?? "–"
        content["rss"] = step.rss.map { Double($0).asBytes } ?? "–"
        content["percentilePlot"] = PlotWidth.both { PercentilePlot(step, deadline: deadline, $0).svg }
        content["timelinePlot"] = PlotWidth.both { TimelinePlot(step, $0).svg }
        content["rows"] = rows
        content["generator"] = generator
        content["reasons"] = step.reasons.sorted { $0.value > $1.value }.map { "\($0.value) × \($0.key)" }
        if !step.meanShares.isEmpty {
            content["sharesPlot"] = PlotWidth.both { SharesPlot(step.meanShares, $0).svg }
        }
        if step.fetchedBytes > 0 {
            content["bytes"] =
                "\(Double(step.fetchedBytes).asBytes) fetched, \(Double(step.deliveredBytes).asBytes) delivered"
        }
        return content
    }

    private var rows: [[String: Any]] {
        let outcomes = LoadAnswer.Outcome.allCases.map(\.rawValue)
        let named = outcomes.map { ($0, step.byOutcome[$0]) } + Budget.stages.map { ("stage \($0)", step.stages[$0]) }
        return ([("all", step.latency)] + named + [("margin", step.margin)]).compactMap { name, distribution in
            guard let distribution else { return nil }
            var row: [String: Any] = Self.percentiles(distribution)
            row["name"] = name
            row["count"] = "\(distribution.count)"
            row["mean"] = distribution.mean.asMilliseconds
            return row
        }
    }

    private var generator: String {
        let generator = step.generator
        let share = 100 * Double(generator.late) / Double(step.sent)
        return "The generator sent \(generator.sendRate.brief)/s, \(share.brief) % of it more than 1 ms late (p99 "
            + "\(generator.lateness.text(at: 99))); that is in every latency"
    }

    private static func percentiles(_ distribution: Distribution) -> [String: Any] {
        [
            "p50": distribution.text(at: 50), "p90": distribution.text(at: 90),
            "p99": distribution.text(at: 99), "p999": distribution.text(at: 99.9),
            "max": distribution.max.asMilliseconds,
        ]
    }
}
