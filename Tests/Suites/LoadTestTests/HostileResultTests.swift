import Base
import Foundation
import Media
import Payloads
import Testing

@testable import LoadTest

/// Tests that the input of `--compare` and a target's answers are treated as untrusted.
@Suite("Load test input with odd numbers", .timeLimit(.minutes(10)))
struct HostileResultTests {
    private static func result() async throws -> LoadResult {
        let run = try LoadRun.sample(budgets: ["p99<180ms"])
        let target = ScriptedTarget(outcome: { $0 % 50 == 0 ? .degraded : .complete }, latency: healthyLatency)
        return try await run.run(target, time: SwiftTime())
    }

    private static let numbers = ["1e300", "-1e300", "9223372036854775807", "-9223372036854775808", "0", "-1", "1e15"]

    @Test("an older result is refused, or compared and shown without a trap")
    func compared() async throws {
        let new = try await Self.result()
        for number in Self.numbers { try compare(new, with: number) }
    }

    private func compare(_ new: LoadResult, with number: String) throws {
        let text = String(decoding: try new.json, as: UTF8.self)
        // Replaces every number of the result, one after the other.
        let pattern = /: (-?[0-9][0-9.e+-]*)(?=[,\n])/
        for (index, match) in text.matches(of: pattern).enumerated() where index % 61 == number.utf8.count {
            let changed = text.replacingCharacters(
                in: match.output.1.startIndex..<match.output.1.endIndex,
                with: number
            )
            guard let old = try? LoadResult(json: Data(changed.utf8)) else { continue }
            var compared = new
            compared.changes = (try? RunComparison(of: new, with: old).changes) ?? []
            #expect(!compared.text.isEmpty)
            // The older result has the odd numbers.
            #expect(HTMLReport(old).html.contains("<svg") && !old.text.isEmpty && !JUnitReport(old).xml.isEmpty)
        }
    }

    @Test("a target's answer counts, whatever numbers it has", arguments: numbers)
    func answers(number: String) throws {
        let text = """
            {"outcome":"complete","timings":{"decode":\(number),"total":\(number),"made-up":\(number)},
            "margin":\(number),"attachments":[{"bytes":\(number),"source":{"fetched":\(number)}},
            {"bytes":\(number),"source":{"fetched":\(number)}}]}
            """
        let now = SystemTime().now
        let answer = LoadAnswer(result: try JSONValue(parsing: Array(text.utf8)), sent: now, answered: now)
        #expect(answer.outcome == .complete && answer.stages["made-up"] == nil)
        var latencies = Latencies()
        for duration in answer.stages.values { latencies.add(duration) }
        #expect(latencies.distribution() != nil)
    }

    @Test("weights are finite", arguments: ["inf:a", "1e300:a", "nan:a", "-1:a"])
    func weights(text: String) {
        // The text is then a URL with an odd scheme.
        #expect(Weighted(text: text).value == text)
    }

    @Test("a plot's axis has a finite number of marks", arguments: [Double.infinity, .nan, 1e308, -1e308, 0, 1e-308])
    func axis(greatest: Double) {
        let axis = Axis(upTo: greatest)
        #expect((2...11).contains(axis.marks.count) && axis.top.isFinite && axis.top > 0)
    }
}
