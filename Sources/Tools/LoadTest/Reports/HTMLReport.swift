import Foundation
import Mustache
import Templates

/// A result as one HTML file that loads nothing from elsewhere.
package struct HTMLReport {
    private let result: LoadResult

    package init(_ result: LoadResult) { self.result = result }

    package var html: String {
        get throws {
            let template = try HTMLText.template(String(decoding: PackageResources.report_mustache, as: UTF8.self))
            return template.render(content)
        }
    }

    private var content: [String: Any] {
        var content: [String: Any] = [
            "target": result.target,
            "started": result.started.formatted(.iso8601),
            "arrivals": result.arrivals.rawValue,
            "deadline": result.deadline.asMilliseconds,
            "seed": "\(result.seed)",
            "sources": result.uniqueSources ? "a source URL for each notification" : "shared source URLs",
            "verdict": result.verdict.rawValue,
            "verdictText": Self.text(result.verdict),
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

    private static func text(_ verdict: LoadResult.Verdict) -> String {
        switch verdict {
        case .passed: "All budgets kept"
        case .missed: "A budget was missed, or something got worse"
        case .void: "Void: the run says nothing about the target"
        case .measured: "Measured, without budgets"
        case .failed: "No notification was answered"
        }
    }
}
