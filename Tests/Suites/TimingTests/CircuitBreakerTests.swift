import Base
import Media
import Support
import Testing

@Suite("Circuit breakers")
struct CircuitBreakerTests {
    private let start = Instant(sinceOrigin: .seconds(1000))

    private func request(_ breaker: inout CircuitBreaker, _ outcome: CircuitBreaker.Outcome, at now: Instant) -> Bool {
        guard let pass = try? breaker.pass(at: now) else { return false }
        breaker.finish(pass, outcome, at: now, jitter: 0.5)
        return true
    }

    @Test("five connection failures in a row open it for five seconds, unless there is a success among them")
    func streak() {
        var breaker = CircuitBreaker()
        for outcome in [CircuitBreaker.Outcome.unreachable, .unreachable, .unreachable, .unreachable, .success] {
            #expect(request(&breaker, outcome, at: start))
        }
        for _ in 0..<5 { #expect(request(&breaker, .unreachable, at: start)) }
        #expect(breaker.refusal(at: start) == CircuitBreaker.OpenError(until: start + .seconds(5)))
        #expect(throws: CircuitBreaker.OpenError(until: start + .seconds(5))) { try breaker.pass(at: start) }
        #expect(breaker.refusal(at: start + .seconds(5)) == nil)
    }

    @Test("ten failures in twenty requests within ten seconds open it, fewer or older ones don't")
    func share() {
        var breaker = CircuitBreaker()
        for index in 0..<19 { #expect(request(&breaker, index % 2 == 0 ? .failure : .success, at: start)) }
        #expect(breaker.isClosed)
        #expect(request(&breaker, .success, at: start))
        // Ten of twenty: the rule is checked after each.
        #expect(!breaker.isClosed)
        var other = CircuitBreaker()
        for _ in 0..<19 { #expect(request(&other, .failure, at: start)) }
        #expect(request(&other, .failure, at: start + .seconds(11)) && other.isClosed)
    }

    @Test("there is one probe at a time, three successes close it, and a failure doubles the pause up to a minute")
    func probes() throws {
        var breaker = CircuitBreaker()
        for _ in 0..<5 { _ = request(&breaker, .unreachable, at: start) }
        var (now, pauses) = (start + .seconds(5), [Duration]())
        for _ in 0..<6 {
            #expect(request(&breaker, .failure, at: now))
            let until = try #require(breaker.refusal(at: now)?.until)
            pauses.append(until - now)
            now = until
        }
        #expect(pauses == [10, 20, 40, 60, 60, 60].map { .seconds($0) })
        let probe = try breaker.pass(at: now)
        #expect(throws: CircuitBreaker.OpenError(until: nil)) { try breaker.pass(at: now) }
        // A cancelled probe makes room for another.
        breaker.finish(probe, .unknown, at: now, jitter: 0.5)
        for _ in 0..<3 {
            #expect(!breaker.isClosed)
            #expect(request(&breaker, .success, at: now))
        }
        #expect(breaker.isClosed)
    }

    @Test("requests from before it opened neither close it nor extend the pause")
    func old() throws {
        var breaker = CircuitBreaker()
        let old = try breaker.pass(at: start)
        for _ in 0..<5 { _ = request(&breaker, .unreachable, at: start) }
        let probe = try breaker.pass(at: start + .seconds(5))
        breaker.finish(old, .unreachable, at: start + .seconds(5), jitter: 0.5)
        #expect(throws: CircuitBreaker.OpenError(until: nil)) { try breaker.pass(at: start + .seconds(5)) }
        breaker.finish(probe, .success, at: start + .seconds(5), jitter: 0.5)
        #expect(breaker.refusal(at: start + .seconds(5)) == nil)
    }

    @Test("pauses vary by a fifth, so that workers don't all return at once", arguments: [(0.0, 4), (1.0, 6)])
    func spread(jitter: Double, seconds: Int) throws {
        var breaker = CircuitBreaker()
        for _ in 0..<5 {
            let pass = try breaker.pass(at: start)
            breaker.finish(pass, .unreachable, at: start, jitter: jitter)
        }
        #expect(breaker.refusal(at: start)?.until == start + .seconds(seconds))
    }

    @Test("in any order of events, only one probe passes while it is open", arguments: 0..<50)
    func property(seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        var breaker = CircuitBreaker()
        var now = start
        var underWay: [CircuitBreaker.Pass] = []
        var probe: CircuitBreaker.Pass?
        for _ in 0..<2000 {
            now = now + .milliseconds(.random(in: 0...400, using: &random))
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                let (wasClosed, refusal) = (breaker.isClosed, breaker.refusal(at: now))
                guard let pass = try? breaker.pass(at: now) else {
                    #expect(refusal != nil && !wasClosed)
                    continue
                }
                #expect(refusal == nil)
                if wasClosed {
                    underWay.append(pass)
                } else {
                    #expect(probe == nil)
                    probe = pass
                }
            case 1 where probe != nil:
                if let pass = probe { breaker.finish(pass, outcome(&random), at: now, jitter: 0.5) }
                probe = nil
            default:
                guard let pass = underWay.popLast() else { continue }
                breaker.finish(pass, outcome(&random), at: now, jitter: 0.5)
            }
        }
    }

    private func outcome(_ random: inout SplitMix) -> CircuitBreaker.Outcome {
        [.success, .failure, .unreachable, .unknown].randomElement(using: &random) ?? .success
    }
}
