import Base
import LoadTest
import Media
import Support
import Testing

@Suite("The notation of faults")
struct FaultsTests {
    @Test(
        "each fault is parsed from a query",
        arguments: [
            ("latency=200ms", Fault.Kind.latency(.milliseconds(200))),
            ("jitter=50ms", .jitter(.milliseconds(50))),
            ("bandwidth=50kB/s", .bandwidth(50_000)),
            ("drip=1B/100ms", .drip(byteCount: 1, every: .milliseconds(100))),
            ("stall=10kB", .stall(after: 10_000, duration: nil)),
            ("stall=10000", .stall(after: 10_000, duration: nil)),
            ("stall=10kB/2s", .stall(after: 10_000, duration: .seconds(2))),
            ("truncate=10kB", .truncate(after: 10_000)),
            ("reset=0B", .reset(after: 0)),
            ("length=+100", .length(.off(by: 100))),
            ("length=-100", .length(.off(by: -100))),
            ("length=5000", .length(.exactly(5000))),
            ("type=text/html", .type("text/html")),
            ("type=none", .type(nil)),
            ("status=503", .status(503)),
            ("redirect=3", .redirect(.times(3))),
            ("redirect=loop", .redirect(.loop)),
            ("redirect=%2Fb.jpg", .redirect(.to("/b.jpg"))),
            ("ranges=lie", .ranges(.lie)),
            ("chunked=on", .chunked),
            ("hiccup=10s/2s", .hiccup(start: .seconds(10), duration: .seconds(2))),
        ]
    )
    func reads(text: String, kind: Fault.Kind) throws {
        #expect(try Faults(query: text).all == [Fault(kind)])
    }

    @Test("a share is the probability of a fault, and a seed makes the choice reproducible; n has no effect")
    func shares() throws {
        let faults = try Faults(query: "n=17&status=503@10%&seed=7&latency=1s@0.5%25")
        #expect(faults.seed == 7)
        #expect(faults.all == [Fault(.status(503), share: 0.1), Fault(.latency(.seconds(1)), share: 0.005)])
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
        for (example, _) in Fault.table {
            let first = String(example.split(whereSeparator: { $0 == "," || $0 == " " })[0])
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
