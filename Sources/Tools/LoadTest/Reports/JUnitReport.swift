import FoundationEssentials
import Mustache
import Templates

/// A result's budgets and comparisons as JUnit XML, which CI pipelines show.
package struct JUnitReport {
    private let result: LoadResult

    package init(_ result: LoadResult) { self.result = result }

    package var xml: String { HTMLText.template(embedded: PackageResources.junit_mustache).render(content) }

    private var content: [String: Any] {
        let cases = result.judgements.map(Self.testCase) + result.changes.map(Self.testCase) + shortfalls
        return [
            "target": result.target,
            "started": result.started.formatted(.iso8601),
            "tests": "\(cases.count)",
            "failures": "\(cases.count { $0["failure"] != nil })",
            "errors": "\(cases.count { $0["error"] != nil })",
            "cases": cases,
        ]
    }

    /// The steps in which the generator could not keep up.
    private var shortfalls: [[String: String]] {
        result.steps.compactMap { step in
            step.shortfall.map { ["group": "generator", "name": "keeps its schedule at \(step.label)", "error": $0] }
        }
    }

    private static func testCase(_ judgement: Judgement) -> [String: String] {
        let key =
            switch judgement.verdict {
            case .met: "output"
            case .missed: "failure"
            case .void, .unmeasured, .unclear: "error"
            }
        return ["group": "budget", "name": "\(judgement.budget) at \(judgement.step)", key: judgement.message]
    }

    private static func testCase(_ change: Change) -> [String: String] {
        let key = change.isWorse ? "failure" : "output"
        return ["group": "comparison", "name": "\(change.figure) at \(change.step)", key: change.message]
    }
}
