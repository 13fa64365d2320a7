import Base
import LoadTest
import Media
import Testing

@Suite("A load test with budgets", .timeLimit(.minutes(10)))
struct PlantedRegressionTests {
    private static let budgets = ["p50<100ms", "p99<180ms", "late=0", "degraded<5%", "failed=0", "goodput>90/s"]

    @Test("an unchanged worker passes ten times out of ten", arguments: 1...10)
    func unchanged(seed: UInt64) async throws {
        let run = try LoadRun.sample(seed: seed, budgets: Self.budgets)
        let result = try await run.run(ScriptedTarget(latency: healthyLatency), time: SwiftTime())
        #expect(result.verdict == .passed, "\(result.text)")
        #expect(result.judgements.count == Self.budgets.count)
        #expect((3800...4200).contains(result.steps[0].sent))
    }

    @Test("a worker that is slower by 200 ms misses its percentiles, and the report says how much", arguments: 1...10)
    func slower(seed: UInt64) async throws {
        let run = try LoadRun.sample(seed: seed, budgets: Self.budgets)
        let target = ScriptedTarget(latency: { healthyLatency($0) + .milliseconds(200) })
        let result = try await run.run(target, time: SwiftTime())
        #expect(result.verdict == .missed)
        #expect(result.judgements.filter { $0.verdict == .missed }.map(\.budget) == ["p50<100ms", "p99<180ms"])
        #expect(result.judgements[0].message.contains("missed by 1"), "\(result.judgements[0].message)")
    }

    @Test(
        "a worker that answers 1 in 200 late misses its budget, though no percentile up to 99 shows it",
        arguments: 1...10
    )
    func late(seed: UInt64) async throws {
        let run = try LoadRun.sample(seed: seed, budgets: Self.budgets)
        let target = ScriptedTarget(latency: { $0 % 200 == 0 ? .milliseconds(1300) : healthyLatency($0) })
        let result = try await run.run(target, time: SwiftTime())
        #expect(result.verdict == .missed)
        #expect(result.judgements.filter { $0.verdict == .missed }.map(\.budget) == ["late=0"])
        #expect((19...21).contains(result.steps[0].late))
    }

    @Test("a missing answer is late too, and counts with the whole deadline")
    func unanswered() async throws {
        let run = try LoadRun.sample(budgets: ["late=0", "unanswered=0", "max<1s"])
        let target = ScriptedTarget(latency: { $0 % 100 == 0 ? .seconds(60) : healthyLatency($0) })
        let result = try await run.run(target, time: SwiftTime())
        #expect(result.judgements.map(\.verdict) == [.missed, .missed, .missed])
        let step = result.steps[0]
        #expect(step.count(.unanswered) == step.late)
        #expect(step.latency.max >= 1000)
    }

    @Test("a quick refusal is not a quick answer: it counts with the whole deadline")
    func refusals() async throws {
        let run = try LoadRun.sample(budgets: ["p90<200ms", "refused<1%"])
        let target = ScriptedTarget(
            outcome: { $0 % 5 == 0 ? .refused : .complete },
            latency: { _ in .milliseconds(1) },
        )
        let result = try await run.run(target, time: SwiftTime())
        #expect(result.judgements.map(\.verdict) == [.missed, .missed])
        #expect(result.steps[0].latency.value(at: 90) >= 1000)
    }

    @Test("a target that stalls for two seconds is measured as its users see it, not once per client")
    func stall() async throws {
        var run = try LoadRun.sample()
        run.arrivals = .fixed
        run.mix.deadline = .seconds(5)
        // No notification is answered between the tenth second and the twelfth.
        let first = 10_000_000
        let target = ScriptedTarget(latency: { number in
            let due = Duration.milliseconds(10 * (number - first))
            let stall = Duration.seconds(10)..<Duration.seconds(12)
            return (stall.contains(due) ? stall.upperBound - due : .zero) + .milliseconds(5)
        })
        let latency = try await run.run(target, time: SwiftTime()).steps[0].latency
        #expect(latency.count == 4000)
        // 200 of 4,000 wait, evenly up to two seconds: one in a hundred waits at least 1.6 s.
        #expect(latency.value(at: 90) < 10)
        #expect((1580...1630).contains(latency.value(at: 99)))
        #expect(latency.value(at: 99.9) > 1950)
    }

    /// A target whose answers each take a tenth of a second of the clock.
    private struct SlowTarget: LoadTarget {
        let time: SwiftTime
        var outcome = LoadAnswer.Outcome.complete

        func send(_ notification: LoadNotification, until end: Instant) async -> LoadAnswer {
            let sent = time.now
            try? await time.sleep(until: sent + .milliseconds(100))
            return LoadAnswer(outcome, sent: sent, answered: sent + .milliseconds(100))
        }
    }

    @Test("the capacity for a relative rate is measured first, with clients that wait for their answers")
    func capacity() async throws {
        let time = SwiftTime()
        var run = try LoadRun.sample(rate: "0.5x,2x")
        run.warmUp = .seconds(10)
        run.clients = 1
        let result = try await run.run(SlowTarget(time: time), time: time)
        #expect(result.capacity?.perSecond == 10)
        #expect(result.steps.map(\.rate) == [5, 20])
        #expect(result.steps.map(\.label) == ["0.5x", "2x"])
    }

    @Test("without a useful answer there is no capacity, and the command says so")
    func noCapacity() async throws {
        let time = SwiftTime()
        var run = try LoadRun.sample(rate: "1x")
        run.warmUp = .seconds(1)
        let target = SlowTarget(time: time, outcome: .failed)
        let error = await #expect(throws: LoadTestError.self) { try await run.run(target, time: time) }
        #expect(error?.description.contains("capacity") == true)
    }
}
