import Base
import Foundation
import LoadTest
import Media
import Testing

@Suite("Reports of a load test", .timeLimit(.minutes(10)))
struct ReportTests {
    private static func result(
        seed: UInt64 = 1,
        budgets: [String] = [],
        _ latency: @escaping @Sendable (Int) -> Duration = healthyLatency,
    ) async throws -> LoadResult {
        let run = try LoadRun.sample(seed: seed, budgets: budgets)
        let target = ScriptedTarget(outcome: { $0 % 50 == 0 ? .degraded : .complete }, latency: latency)
        return try await run.run(target, time: SwiftTime())
    }

    @Test("a result is unchanged after writing and reading")
    func json() async throws {
        var result = try await Self.result(budgets: ["p99<180ms"])
        result.started = Date(timeIntervalSince1970: 1_800_000_000)
        let data = try result.json
        #expect(try LoadResult(json: data) == result)
    }

    @Test("two runs of the same worker compare as equal, whatever the seed", arguments: 2...11)
    func same(seed: UInt64) async throws {
        let old = try await Self.result()
        let changes = try RunComparison(of: try await Self.result(seed: seed), with: old).changes
        #expect(changes.count { $0.figure.hasPrefix("p") } >= 3)
        #expect(changes.filter(\.isWorse) == [])
    }

    @Test("a faster worker compares as better, with the numbers of notifications")
    func faster() async throws {
        let old = try await Self.result()
        let new = try await Self.result(seed: 2) { healthyLatency($0) / 3 }
        let change = try #require(try RunComparison(of: new, with: old).changes.first { $0.figure == "p50" })
        #expect(change.verdict == .better && !change.isWorse)
        #expect(change.message.hasSuffix("of \(old.steps[0].sent) and \(new.steps[0].sent)"), "\(change.message)")
        let late = try await Self.result { $0 % 10 == 0 ? .milliseconds(1500) : healthyLatency($0) }
        let changes = try RunComparison(of: new, with: late).changes
        #expect(changes.first { $0.figure == "late" }?.verdict == .better)
    }

    @Test("a large difference between a few notifications is unclear, never the same", arguments: [3.0, 1.0 / 3])
    func few(factor: Double) async throws {
        let latency: @Sendable (Int) -> Duration = { .milliseconds($0 % 2 == 0 ? 40 : 400) }
        var run = try LoadRun.sample(rate: "2")
        run.duration = .seconds(12)
        let old = try await run.run(ScriptedTarget(latency: latency), time: SwiftTime())
        let new = try await run.run(ScriptedTarget(latency: { latency($0) * factor }), time: SwiftTime())
        let change = try #require(try RunComparison(of: new, with: old).changes.first { $0.figure == "p50" })
        #expect(change.verdict == .unclear, "\(change)")
    }

    @Test(
        "runs whose settings differ are refused, and the error names the settings",
        arguments: ["--deadline", "--duration", "--arrivals", "--same-sources", "--profile", "--payload", "--media"]
    )
    func settings(option: String) async throws {
        let old = try await Self.result()
        var run = try LoadRun.sample()
        switch option {
        case "--deadline": run.mix.deadline = .seconds(2)
        case "--duration": run.duration = .seconds(20)
        case "--arrivals": run.arrivals = .fixed
        case "--same-sources": run.mix.isUnique = false
        case "--profile": run.mix.profile = "fcm"
        case "--payload": run.mix.payloads = [Weighted(NotificationMix.plainPayload + " ")]
        default: run.settings[option] = "album"
        }
        let new = try await run.run(ScriptedTarget(latency: healthyLatency), time: SwiftTime())
        let error = #expect(throws: LoadTestError.self) { try RunComparison(of: new, with: old) }
        #expect(error?.description.contains(option) == true, "\(String(describing: error))")
        let before = try #require(old.settings)
        #expect(throws: LoadTestError.self) { try run.allSettings.checkEqual(to: before) }
    }

    @Test("a percentile of too few notifications is not shown")
    func tooFew() async throws {
        var run = try LoadRun.sample(rate: "2")
        run.duration = .seconds(12)
        run.arrivals = .fixed
        let few = try await run.run(ScriptedTarget(latency: healthyLatency), time: SwiftTime())
        #expect(few.text.contains("p99 –, p99.9 –;") && !few.text.contains("p50 –"), "\(few.text)")
        run.budgets = [try Budget("p99<9s"), try Budget("p50<9s")]
        let judged = try await run.run(ScriptedTarget(latency: healthyLatency), time: SwiftTime())
        #expect(judged.judgements.map(\.verdict) == [.unclear, .met] && judged.verdict == .void)
        #expect(HTMLReport(few).html.contains(#"data-label="p99.9" class="number">–<"#))
        let many = try await Self.result()
        #expect(!many.text.contains("–"), "\(many.text)")
    }

    @Test("a run in which nothing is answered has failed, whatever else is measured")
    func allFailed() async throws {
        let outcomes: [LoadAnswer.Outcome] = [.failed, .refused]
        for outcome in outcomes {
            let target = ScriptedTarget(outcome: { _ in outcome }, latency: healthyLatency)
            let result = try await LoadRun.sample(budgets: ["max<9s"]).run(target, time: SwiftTime())
            #expect(result.verdict == .failed)
            #expect(HTMLReport(result).html.contains("No notification was answered"))
        }
        let half = ScriptedTarget(outcome: { $0 % 2 == 0 ? .failed : .degraded }, latency: healthyLatency)
        #expect(try await LoadRun.sample().run(half, time: SwiftTime()).verdict == .measured)
        let originals = ScriptedTarget(outcome: { _ in .original }, latency: healthyLatency)
        let result = try await LoadRun.sample().run(originals, time: SwiftTime())
        #expect(result.verdict == .failed)
        #expect(HTMLReport(result).html.contains("No notification got an attachment"))
    }

    @Test("a slower worker compares as worse, and a faster one doesn't")
    func slower() async throws {
        let old = try await Self.result()
        var new = try await Self.result(seed: 2) { healthyLatency($0) + .milliseconds(20) }
        new.changes = try RunComparison(of: new, with: old).changes
        #expect(new.changes.filter(\.isWorse).map(\.figure).contains("p50"))
        #expect(new.verdict == .missed)
        #expect(try RunComparison(of: old, with: new).changes.filter(\.isWorse) == [])
    }

    @Test("a worker with new late answers compares as worse")
    func late() async throws {
        let old = try await Self.result()
        let new = try await Self.result(seed: 2) { $0 % 100 == 0 ? .milliseconds(1500) : healthyLatency($0) }
        let worse = try RunComparison(of: new, with: old).changes.filter(\.isWorse).map(\.figure)
        #expect(worse.contains("late"))
    }

    @Test("runs without a common step are not compared")
    func incomparable() async throws {
        let other = try LoadRun.sample(rate: "20")
        let old = try await other.run(ScriptedTarget(latency: healthyLatency), time: SwiftTime())
        let new = try await Self.result()
        #expect(throws: LoadTestError.self) { try RunComparison(of: new, with: old) }
    }

    @Test("the page has the verdict, every budget and its plots, and loads nothing from elsewhere")
    func html() async throws {
        let result = try await Self.result(budgets: ["p99<10ms", "late=0"])
        let html = HTMLReport(result).html
        #expect(html.contains("A budget was missed"))
        #expect(html.contains("p99&lt;10ms"))
        // Each plot is there in two widths.
        #expect(html.components(separatedBy: "<svg").count == 7)
        #expect(html.components(separatedBy: "<path class=\"curve\"").count >= 4)
        #expect(!html.contains("src=") && !html.contains("href=") && !html.contains("url("))
        // Every number in a plot is finite.
        #expect(html.firstMatch(of: /[ML" ]-?(nan|inf)[L" ]/) == nil)
    }

    @Test("a ramp has a plot of its steps, and one for each step")
    func ramp() async throws {
        let run = try LoadRun.sample(rate: "50,100")
        let result = try await run.run(ScriptedTarget(latency: healthyLatency), time: SwiftTime())
        let html = HTMLReport(result).html
        #expect(html.components(separatedBy: "<svg").count - 1 == 14)
        #expect(html.contains("50/s: 1"))
    }

    @Test("no two texts of a plot touch, and none leaves it", arguments: ["2", "100", "0.5,1,2,4,8,100"])
    func apart(rates: String) async throws {
        let run = try LoadRun.sample(rate: rates)
        let outcomes = LoadAnswer.Outcome.allCases.filter { $0 != .unanswered }
        let target = ScriptedTarget(outcome: { outcomes[$0 % outcomes.count] }, latency: healthyLatency)
        let html = HTMLReport(try await run.run(target, time: SwiftTime())).html
        let plots = html.matches(of: /viewBox="0 0 ([\d.]+) ([\d.]+)".*?<\/svg>/)
        #expect(plots.count >= 6)
        for plot in plots {
            let width = try #require(Double(plot.1))
            let texts = PlotText.all(in: plot.0)
            for (index, text) in texts.enumerated() {
                #expect(text.start >= 0 && text.end <= width, "\(text) in \(width)")
                let touching = texts[(index + 1)...].filter(text.touches)
                #expect(touching.isEmpty, "\(text) and \(touching)")
            }
        }
    }

    @Test("the XML has a test case for each budget, and a failure for each missed one")
    func junit() async throws {
        let result = try await Self.result(budgets: ["p99<10ms", "late=0", "rss<1MB"])
        let xml = JUnitReport(result).xml
        #expect(xml.hasPrefix("<?xml version=\"1.0\""))
        #expect(xml.contains(#"tests="3" failures="1" errors="1""#))
        #expect(xml.contains(#"name="p99&lt;10ms at 100/s"><failure message=""#))
        #expect(xml.contains(#"name="late=0 at 100/s"><system-out>"#))
        #expect(xml.contains(#"name="rss&lt;1MB at 100/s"><error message=""#))
    }
}

/// A text of a plot, and where it is in DejaVu Sans at 12 pixels.
private struct PlotText {
    var words: String
    var start, end, baseline: Double

    static func all(in svg: Substring) -> [PlotText] {
        svg.matches(of: /<text x="([\d.]+)" y="([\d.]+)" text-anchor="(\w+)"[^>]*>([^<]*)</).map { match in
            let (x, words) = (Double(match.1) ?? 0, String(match.4))
            let width = words.reduce(0) { $0 + ($1 == "%" ? 11.4 : " .".contains($1) ? 3.8 : $1.isNumber ? 7.6 : 6.8) }
            let start = match.3 == "start" ? x : match.3 == "middle" ? x - width / 2 : x - width
            return PlotText(words: words, start: start, end: start + width, baseline: Double(match.2) ?? 0)
        }
    }

    func touches(_ other: PlotText) -> Bool {
        max(start, other.start) - min(end, other.end) < 4 && abs(baseline - other.baseline) < 16
    }
}
