import Base
import Testing

@testable import HTTPClient

/// SECURITY N14: the judgement of a loop's thread, as a value.
@Suite("The conduct of a site's thread")
struct LoopConductTests {
    private let start = Instant(sinceOrigin: .zero)

    private func use(
        _ processorTime: Duration,
        requests: Int = 0,
        bytes: Int = 0,
        turn: Int? = nil,
        unread: Duration = .zero,
    ) -> LoopConduct.Use {
        LoopConduct.Use(
            processorTime: processorTime,
            requestCount: requests,
            byteCount: bytes,
            turn: turn,
            unread: unread,
        )
    }

    @Test("a thread that receives a body as fast as it can stays good")
    func fast() {
        var conduct = LoopConduct(at: start)
        for tick in 1...200 {
            // 200 MB a second, of which decryption takes nearly the whole processor.
            let now = start + .milliseconds(25 * tick)
            let use = use(.milliseconds(24 * tick), requests: 1, bytes: 5_000_000 * tick, turn: tick)
            #expect(conduct.judge(use, at: now) == nil)
        }
        #expect(conduct.verdict == .good)
    }

    @Test("a campaign of small pictures over new TLS connections stays good")
    func handshakes() {
        var conduct = LoopConduct(at: start)
        for tick in 1...200 {
            let use = use(.milliseconds(20 * tick), requests: 8 * tick, bytes: 40_000 * tick, turn: tick)
            #expect(conduct.judge(use, at: start + .milliseconds(25 * tick)) == nil)
        }
    }

    @Test("a peer that sends without end what carries no data is first demoted, then cut off, and at last abandoned")
    func endless() {
        var conduct = LoopConduct(at: start)
        var verdicts: [LoopConduct.Verdict] = []
        for tick in 1...100 {
            let use = use(.milliseconds(25 * tick), requests: 1, turn: 1)
            if let verdict = conduct.judge(use, at: start + .milliseconds(25 * tick)) { verdicts.append(verdict) }
        }
        #expect(verdicts == [.demoted, .cutOff, .abandoned])
    }

    @Test("many requests that begin together have the time for their handshakes")
    func burst() {
        var conduct = LoopConduct(at: start)
        for tick in 0...40 {
            var use = use(.milliseconds(25 * tick), requests: 200, turn: tick)
            use.runningCount = 200
            #expect(conduct.judge(use, at: start + .milliseconds(25 * tick)) == nil)
        }
    }

    @Test(
        "a thread that waited in line for its turn saved nothing for an attack, unless its site had answered",
        arguments: [(false, LoopConduct.Verdict.cutOff), (true, .good)]
    )
    func line(hasAnswered: Bool, verdict: LoopConduct.Verdict) {
        var conduct = LoopConduct(.unknown, at: start)
        if hasAnswered { conduct.becomeKnown() }
        for tick in 1...600 {
            #expect(conduct.judge(use(.zero, requests: 1), at: start + .milliseconds(10 * tick)) == nil)
        }
        _ = conduct.judge(use(.milliseconds(60), requests: 1, turn: 1), at: start + .seconds(6.06))
        #expect(conduct.verdict == verdict)
    }

    @Test("the handshake of an unknown site fits its first time")
    func handshake() {
        var conduct = LoopConduct(.unknown, at: start)
        #expect(conduct.judge(use(.milliseconds(30), requests: 1, turn: 1), at: start + .milliseconds(40)) == nil)
    }

    @Test("sites that were honest once get half of the processors together, however many turn hostile")
    func together() {
        let loopCount = 200
        var rule = LoopConduct.Rule.known
        rule.creditOfAll = .seconds(1)
        var conduct = LoopConduct(rule, at: start)
        // Each site has earned time by earlier bodies.
        _ = conduct.judge(use(.zero, requests: 10, bytes: 100_000_000), among: loopCount, at: start + .seconds(10))
        var spent: Duration = .zero
        for tick in 1...1000 {
            let next = spent + .milliseconds(10)
            let now = start + .seconds(10) + .milliseconds(10 * tick)
            if conduct.judge(use(next, requests: 10, bytes: 100_000_000), among: loopCount, at: now) != nil { break }
            spent = next
        }
        #expect(conduct.verdict == .demoted && spent < .milliseconds(50))
    }

    @Test("twenty honest sites side by side have the same time as one alone on two processors")
    func side() {
        var rule = LoopConduct.Rule.known
        rule.creditOfAll = .seconds(1)
        #expect(rule.shared(among: 20).creditPerSecond == LoopConduct.Rule.known.creditPerSecond)
        #expect(rule.shared(among: 4).mostCredit == LoopConduct.Rule.known.mostCredit)
        #expect(LoopConduct.Rule.unknown.shared(among: 100) == .unknown)
    }

    @Test("what was earned before buys no long attack")
    func savings() {
        var conduct = LoopConduct(at: start)
        _ = conduct.judge(use(.milliseconds(10), requests: 1000, bytes: 1_000_000_000), at: start + .seconds(1))
        let end = start + .seconds(1.4)
        let verdict = conduct.judge(use(.milliseconds(310), requests: 1000, bytes: 1_000_000_000), at: end)
        #expect(verdict == .demoted)
    }

    @Test("a thread that waits costs nothing, however long its peer drips")
    func drip() {
        var conduct = LoopConduct(at: start)
        for second in 1...1000 {
            let use = use(.milliseconds(10 * second), requests: 1, bytes: second)
            #expect(conduct.judge(use, at: start + .seconds(second)) == nil)
        }
    }

    @Test("a turn that takes long in time but not in processor time is not the site's fault")
    func fullMachine() {
        var conduct = LoopConduct(at: start)
        for second in 1...20 {
            let use = use(.milliseconds(5 * second), requests: 1, turn: 1)
            #expect(conduct.judge(use, at: start + .seconds(second)) == nil)
        }
    }

    @Test("a thread that stands still for other reasons is not waited for, either")
    func standsStill() {
        var conduct = LoopConduct(at: start)
        for second in 1..<5 {
            let use = use(.milliseconds(2), requests: 1, turn: 1, unread: .seconds(second))
            #expect(conduct.judge(use, at: start + .seconds(second)) == nil)
        }
        let use = use(.milliseconds(2), requests: 1, turn: 1, unread: .seconds(5))
        #expect(conduct.judge(use, at: start + .seconds(5)) == .cutOff)
        #expect(conduct.judge(use, at: start + .seconds(6)) == .abandoned)
    }

    @Test("when the process itself was stopped, no site is blamed for what it left unread")
    func stopped() {
        var conduct = LoopConduct(at: start)
        #expect(conduct.judge(use(.milliseconds(2), requests: 1, turn: 1), at: start + .milliseconds(25)) == nil)
        for tick in 0..<100 {
            let use = use(.milliseconds(2), requests: 1, turn: 1, unread: .seconds(60) + .milliseconds(25 * tick))
            #expect(conduct.judge(use, at: start + .seconds(60) + .milliseconds(25 * tick)) == nil)
        }
    }

    @Test("a demoted thread that gets no processor any more is not waited for")
    func starved() {
        var conduct = LoopConduct(at: start)
        #expect(conduct.judge(use(.milliseconds(50), requests: 1, turn: 1), at: start + .milliseconds(25)) == .demoted)
        let starved = use(.milliseconds(50), requests: 1, turn: 1, unread: .seconds(1))
        #expect(conduct.judge(starved, at: start + .seconds(1)) == .cutOff)
        #expect(conduct.judge(starved, at: start + .seconds(2)) == .abandoned)
    }
}
