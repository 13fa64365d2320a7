import Base
import Foundation
import LoadTest
import Media
import Payloads
import Testing

@Suite("The generator", .timeLimit(.minutes(10)))
struct GeneratorTests {
    @Test("a fixed schedule is even, a random one has exponential gaps; both are reproducible from the seed")
    func schedules() {
        let fixed = Array(ArrivalSchedule(.fixed, rate: 50, duration: .seconds(2), seed: 1))
        #expect(fixed.count == 100)
        #expect(fixed[3] == .milliseconds(60))
        let random = Array(ArrivalSchedule(.poisson, rate: 100, duration: .seconds(100), seed: 1))
        #expect(random == Array(ArrivalSchedule(.poisson, rate: 100, duration: .seconds(100), seed: 1)))
        #expect(random != Array(ArrivalSchedule(.poisson, rate: 100, duration: .seconds(100), seed: 2)))
        #expect((9700...10_300).contains(random.count))
        let gaps = zip(random.dropFirst(), random).map { ($0 - $1) / .milliseconds(1) }
        // 1/e of exponential gaps are longer than the mean.
        let longer = Double(gaps.count { $0 > 10 }) / Double(gaps.count)
        #expect((0.35...0.39).contains(longer))
    }

    @Test("a miss caused by the generator's own lateness voids the run: it says nothing about the target")
    func void() async throws {
        let run = try LoadRun.sample(budgets: ["p99<180ms"])
        let target = ScriptedTarget(latency: healthyLatency, lateness: { $0 % 20 == 0 ? .milliseconds(300) : .zero })
        let result = try await run.run(target, time: SwiftTime())
        #expect(result.verdict == .void)
        #expect(result.voidReasons.count == 1)
        #expect(result.voidReasons[0].contains("without the generator's own lateness"))
    }

    @Test("lateness that decides no budget is reported, and voids nothing")
    func harmless() async throws {
        let run = try LoadRun.sample(budgets: ["p99<400ms"])
        let target = ScriptedTarget(latency: healthyLatency, lateness: { $0 % 20 == 0 ? .milliseconds(300) : .zero })
        let result = try await run.run(target, time: SwiftTime())
        #expect(result.verdict == .passed)
        #expect(result.steps[0].generator.late > 150)
        #expect(result.steps[0].latency.value(at: 99) >= 300)
    }

    @Test("a miss that exists without the generator's lateness counts")
    func missed() async throws {
        let run = try LoadRun.sample(budgets: ["p99<180ms"])
        let target = ScriptedTarget(latency: { healthyLatency($0) * 5 }, lateness: { _ in .milliseconds(300) })
        #expect(try await run.run(target, time: SwiftTime()).verdict == .missed)
    }

    @Test("a generator that falls behind its schedule voids the run: less load flatters the target")
    func fallingBehind() async throws {
        let run = try LoadRun.sample(budgets: ["p99<3600s"])
        let target = ScriptedTarget(latency: healthyLatency, lateness: { .milliseconds(($0 - 10_000_000) / 2) })
        let result = try await run.run(target, time: SwiftTime())
        #expect(result.verdict == .void)
        #expect(result.voidReasons[0].contains("fell behind its schedule"))
    }

    @Test("a budget without measurements voids the run")
    func unmeasured() async throws {
        let run = try LoadRun.sample(budgets: ["rss<400MB"])
        let result = try await run.run(ScriptedTarget(latency: healthyLatency), time: SwiftTime())
        #expect(result.judgements.map(\.verdict) == [.unmeasured])
        #expect(result.verdict == .void)
    }

    @Test("notifications have unique identifiers and source URLs, and are drawn by weight")
    func mix() throws {
        var mix = NotificationMix(
            sources: [Weighted(text: "3:http://a/x.jpg?latency=1s"), Weighted(text: "http://a/y.mp4")],
            deadline: .seconds(5),
        )
        mix.payloads = [Weighted(#"{"aps":{"alert":"{n}"},"u":"{media}","id":"{id}"}"#)]
        mix.profile = "fcm"
        let due = Instant(sinceOrigin: .zero)
        let all = (0..<4000).map { mix.notification($0, due: due) }
        #expect(Set(all.map(\.identifier)).count == 4000)
        let payloads = try all.map { try JSONValue(parsing: $0.payload) }
        #expect(Set(payloads.map { $0["u"]?.text }).count == 4000)
        #expect(payloads[7]["aps"]?["alert"]?.text == "7")
        #expect(payloads[7]["id"]?.text == all[7].identifier)
        let pictures = payloads.count { $0["u"]?.text?.hasPrefix("http://a/x.jpg?latency=1s&n=") == true }
        #expect((2850...3150).contains(pictures))
        let envelope = try JSONValue(parsing: all[7].envelope)
        #expect(envelope["payload"] == payloads[7])
        #expect(envelope["deadline"]?.text == "5000ms")
        #expect(envelope["profile"]?.text == "fcm")

        mix.isUnique = false
        #expect(try JSONValue(parsing: mix.notification(7, due: due).payload)["u"]?.text?.contains("n=") == false)
    }

    @Test("percentiles lie within their bounds, and have no upper bound if there are too few answers")
    func bounds() throws {
        var latencies = Latencies()
        for milliseconds in 1...1000 { latencies.add(.milliseconds(milliseconds)) }
        let distribution = try #require(latencies.distribution([99.5]))
        #expect(distribution.count == 1000)
        #expect(abs(distribution.value(at: 50) - 500) < 1)
        #expect(abs(distribution.value(at: 99.5) - 995) < 1)
        let median = try #require(distribution.percentiles.first { $0.percentile == 50 })
        // 500 ± 2.576 √(1000 · 0.5 · 0.5) ranks.
        #expect((456...462).contains(median.low))
        #expect((538...545).contains(try #require(median.high)))
        #expect(distribution.percentiles.first { $0.percentile == 99.9 }?.high == nil)
        #expect(Latencies().distribution() == nil)
    }
}
