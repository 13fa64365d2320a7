import Base
import LoadTest
import Media
import Support
import Testing

@Suite("The notation of faults")
struct FaultsTests {
    private static func with(_ change: (inout Behaviour) -> Void) -> Behaviour {
        var behaviour = Behaviour()
        change(&behaviour)
        return behaviour
    }

    @Test(
        "each fault is parsed from a query",
        arguments: [
            ("latency=200ms", with { $0.latency = .milliseconds(200) }),
            ("bandwidth=50kB/s", with { $0.bytesPerSecond = 50_000 }),
            ("drip=1B/100ms", with { $0.drip = Behaviour.Drip(byteCount: 1, pause: .milliseconds(100)) }),
            ("stall=10kB", with { $0.stall = Behaviour.Stall(after: 10_000) }),
            ("stall=10000", with { $0.stall = Behaviour.Stall(after: 10_000) }),
            ("stall=10kB/2s", with { $0.stall = Behaviour.Stall(after: 10_000, duration: .seconds(2)) }),
            ("truncate=10kB", with { $0.truncation = 10_000 }),
            ("reset=0B", with { $0.reset = 0 }),
            ("length=+100", with { $0.length = .off(by: 100) }),
            ("length=-100", with { $0.length = .off(by: -100) }),
            ("length=5000", with { $0.length = .exactly(5000) }),
            ("type=text/html", with { $0.type = "text/html" }),
            ("type=none", with { $0.type = .some(nil) }),
            ("status=503", with { $0.status = 503 }),
            ("redirect=3", with { $0.redirection = .times(3) }),
            ("redirect=loop", with { $0.redirection = .loop }),
            ("redirect=%2Fb.jpg", with { $0.redirection = .to("/b.jpg") }),
            ("ranges=lie", with { $0.ranges = .lie }),
            ("chunked=on", with { $0.isChunked = true }),
            ("raw=on", with { $0.isRaw = true }),
            ("hiccup=10s/2s", with { $0.hiccups = [.seconds(10) ..< .seconds(12)] }),
        ] as [(String, Behaviour)]
    )
    func reads(text: String, expected: Behaviour) throws {
        var random = SplitMix(seed: 1)
        #expect(Behaviour(try Faults(query: text).all, using: &random) == expected)
    }

    @Test("a share is the probability of a fault, and a seed makes the choice reproducible; n has no effect")
    func shares() throws {
        let faults = try Faults(query: "n=17&status=503@10%&seed=7&latency=1s@0.5%25")
        #expect(faults.seed == 7)
        #expect(faults.all.map(\.text) == ["status=503", "latency=1s"] && faults.all.map(\.share) == [0.1, 0.005])
    }

    @Test(
        "an invalid fault is refused, with a valid form",
        arguments: [
            ("latencyy=1s", "there is no such fault"), ("latency=1", "latency=200ms"), ("latency", "latency=200ms"),
            ("bandwidth=50kB", "bandwidth=50kB/s"), ("bandwidth=0B/s", "bandwidth=50kB/s"),
            ("drip=1B", "drip=1B/100ms"),
            ("stall=many", "stall=10kB"), ("status=99", "status=503"), ("status=503@0%", "a share is"),
            ("status=503@101%", "a share is"), ("status=503@10", "a share is"), ("ranges=maybe", "ranges=off"),
            ("redirect=-1", "redirect=3"), ("redirect=ftp://a", "redirect=3"), ("type=a%0Ab", "type=text/html"),
            ("seed=x", "a seed is"), ("hiccup=2s", "hiccup=10s/2s"), ("chunked=yes", "chunked=on"),
        ]
    )
    func refuses(text: String, advice: String) {
        let error = #expect(throws: FaultSyntaxError.self) { try Faults(query: text) }
        #expect(error?.description.contains(advice) == true, "\(String(describing: error))")
    }

    @Test("every example of the table is valid")
    func table() throws {
        for kind in Fault.kinds {
            let first = String(kind.example.split(whereSeparator: { $0 == "," || $0 == " " })[0])
            #expect(throws: Never.self, "\(first)") { try Faults(query: first) }
        }
    }

    @Test("a rule applies to the paths of its pattern, and a request's own query comes after it")
    func rules() throws {
        let rule = try FaultRule("*.mp4 bandwidth=50kB/s&latency=1s")
        #expect(rule.matches("/a/b.mp4"))
        #expect(!rule.matches("/a/b.jpg"))
        var random = SplitMix(seed: 1)
        let both = rule.faults.followed(by: try Faults(query: "latency=2s"))
        let behaviour = Behaviour(both.all, using: &random)
        #expect(behaviour.latency == .seconds(2))
        #expect(behaviour.bytesPerSecond == 50_000)
        #expect(throws: FaultSyntaxError.self) { try FaultRule("*.mp4") }
    }

    @Test("the same seed makes the same choices, about as often as the share")
    func lots() throws {
        let faults = try Faults(query: "status=503@10%&latency=100ms&jitter=50ms").all
        func draw(_ seed: UInt64) -> [Behaviour] {
            var random = SplitMix(seed: seed)
            return (0..<10_000).map { _ in Behaviour(faults, using: &random) }
        }
        let first = draw(1)
        #expect(first == draw(1))
        #expect(first != draw(2))
        #expect((900...1100).contains(first.count { $0.status == 503 }))
        #expect(first.allSatisfy { $0.latency >= .milliseconds(50) && $0.latency <= .milliseconds(150) })
        #expect(Set(first.map(\.latency)).count > 9000)
    }

    @Test("during a hiccup answers wait for its end")
    func hiccup() throws {
        var random = SplitMix(seed: 1)
        let behaviour = Behaviour(try Faults(query: "hiccup=10s/2s&latency=10ms").all, using: &random)
        #expect(behaviour.delay(at: .seconds(9)) == .milliseconds(10))
        #expect(behaviour.delay(at: .seconds(10.5)) == .milliseconds(1510))
        #expect(behaviour.delay(at: .seconds(12)) == .milliseconds(10))
    }
}
