import Base
import Testing

@testable import HTTPClient

@Suite("The rules of the resolver, without sockets")
struct NameTableTests {
    private let start = Instant(sinceOrigin: .zero)
    private let address = [IPAddress(v4: 0xC000_0201)]

    /// Returns a table of small bounds: 8 queries, 2 of each site.
    private func table(_ change: (inout ResolverRule) -> Void = { _ in }) -> NameTable {
        var rule = ResolverRule()
        rule.queryLimit = 8
        rule.slowSiteLimit = 1
        change(&rule)
        return NameTable(rule)
    }

    private func at(_ seconds: Double) -> Instant { start + .seconds(seconds) }

    @Test("callers of one name share its query, and all get its answer")
    func sharedQuery() {
        var table = table()
        for caller in 1...3 { table.ask(UInt64(caller), "a.example", for: "a", until: at(3), at: start) }
        let starts = table.takeStarts()
        #expect(starts.map(\.host) == ["a.example"])
        table.ended(starts[0].query, .found(address, life: .seconds(9)), at: at(1))
        let settled = table.takeSettled()
        #expect(settled.map(\.caller).sorted() == [1, 2, 3])
        #expect(settled.allSatisfy { $0.answer == .success(address) })
        #expect(table.inFlight == 0)
    }

    @Test("a site has at most a quarter of the queries, and other sites have the rest")
    func siteShare() {
        var table = table()
        for caller in 1...20 { table.ask(UInt64(caller), "n\(caller).a", for: "a", until: at(3), at: start) }
        #expect(table.takeStarts().count == 2)
        for caller in 21...40 { table.ask(UInt64(caller), "n.b\(caller)", for: "b\(caller)", until: at(3), at: start) }
        #expect(table.takeStarts().count == 6)
        #expect((table.inFlight, table.waitingCount) == (8, 32))
    }

    @Test("a free turn goes to the site with the fewest queries, and there to the most urgent name")
    func turns() {
        var table = table()
        for caller in 1...8 {
            let site = "\(caller / 2)"
            table.ask(UInt64(caller), "\(caller)", for: site, until: at(9), at: start)
        }
        let running = table.takeStarts()
        #expect(running.count == 8)
        table.ask(20, "late.2", for: "2", until: at(4), at: start)
        table.ask(21, "soon.2", for: "2", until: at(3), at: start)
        table.ask(22, "late.new", for: "new", until: at(8), at: start)
        table.ask(23, "soon.new", for: "new", until: at(5), at: start)
        var order: [String] = []
        for query in running {
            table.ended(query.query, .notFound, at: at(1))
            order += table.takeStarts().map(\.host)
        }
        // Site 2 has two queries in flight until its own end.
        #expect(order == ["soon.new", "late.new", "soon.2", "late.2"])
    }

    @Test("a name that gets a more urgent caller overtakes others of its site, and falls back when that caller leaves")
    func urgency() {
        var table = table { $0.queryLimit = 4 }
        table.ask(1, "running.a", for: "a", until: at(9), at: start)
        let running = table.takeStarts()
        table.ask(2, "first.a", for: "a", until: at(3), at: start)
        table.ask(3, "second.a", for: "a", until: at(4), at: start)
        table.ask(4, "second.a", for: "a", until: at(2), at: start)
        table.cancel(4)
        table.ask(5, "third.a", for: "a", until: at(5), at: start)
        table.ask(6, "third.a", for: "a", until: at(2), at: start)
        table.ended(running[0].query, .notFound, at: at(1))
        #expect(table.takeStarts().map(\.host) == ["third.a"])
    }

    @Test("a site whose last query timed out has few queries, until one of them ends otherwise")
    func slowSite() {
        var table = table()
        for caller in 1...6 { table.ask(UInt64(caller), "n\(caller).a", for: "a", until: at(60), at: start) }
        var running = table.takeStarts().map(\.query)
        #expect(running.count == 2)
        table.ended(running[0], .timedOut, at: at(5))
        #expect(table.takeStarts().isEmpty)
        table.ended(running[1], .timedOut, at: at(5))
        running = table.takeStarts().map(\.query)
        #expect(running.count == 1)
        table.ended(running[0], .notFound, at: at(6))
        #expect(table.takeStarts().count == 2)
    }

    @Test("a query ends when its last caller leaves, and an answer that still comes is kept (SECURITY N20)")
    func deadline() {
        var table = table()
        table.ask(1, "a.example", for: "a", until: at(1), at: start)
        table.ask(2, "a.example", for: "a", until: at(2), at: start)
        let query = table.takeStarts()[0].query
        #expect(table.nextDue == at(1))
        table.settle(at: at(1))
        #expect(table.takeSettled().map(\.answer) == [.failure(.timedOut)])
        #expect(table.takeStops().isEmpty)
        table.cancel(2)
        #expect(table.takeStops() == [query])
        #expect((table.inFlight, table.nextDue) == (1, nil))
        table.ended(query, .found(address, life: .seconds(10)), at: at(2))
        #expect(table.inFlight == 0)
        table.ask(3, "a.example", for: "a", until: at(3), at: at(2.5))
        #expect(table.takeSettled().map(\.answer) == [.failure(.cancelled), .success(address)])
        #expect(table.takeStarts().isEmpty)
    }

    @Test("a caller that comes while its name's query is being ended gets another query")
    func returningCaller() {
        var table = table()
        table.ask(1, "a.example", for: "a", until: at(9), at: start)
        let first = table.takeStarts()[0].query
        table.cancel(1)
        table.ask(2, "a.example", for: "a", until: at(9), at: start)
        let second = table.takeStarts()[0].query
        table.ended(first, .timedOut, at: at(0.1))
        #expect(table.takeSettled().map(\.caller) == [1])
        #expect(table.inFlight == 1)
        table.ended(second, .found(address, life: .seconds(1)), at: at(0.2))
        #expect(table.takeSettled().map(\.answer) == [.success(address)])
    }

    @Test("a caller whose name has no turn before its deadline is told so, and its name is not asked for")
    func noTurn() {
        var table = table { $0.queryLimit = 1 }
        table.ask(1, "a.example", for: "a", until: at(9), at: start)
        table.ask(2, "b.example", for: "b", until: at(1), at: start)
        table.settle(at: at(1))
        #expect(table.takeSettled().map(\.answer) == [.failure(.busy)])
        #expect(table.waitingCount == 0)
        table.ended(table.takeStarts()[0].query, .notFound, at: at(2))
        #expect(table.takeStarts().isEmpty)
    }

    @Test("a caller that was cancelled leaves at once")
    func cancellation() {
        var table = table()
        table.ask(1, "a.example", for: "a", until: at(9), at: start)
        table.ask(2, "a.example", for: "a", until: at(9), at: start)
        table.cancel(1)
        table.cancel(1)
        #expect(table.takeSettled().map(\.caller) == [1])
        table.ended(table.takeStarts()[0].query, .failed, at: at(1))
        #expect(table.takeSettled().map(\.caller) == [2])
        #expect(table.nextDue == nil)
    }

    @Test("a query is stopped once when its longest time is over, and keeps its turn until it has ended")
    func longestQuery() {
        var table = table()
        table.ask(1, "a.example", for: "a", until: at(60), at: start)
        let query = table.takeStarts()[0].query
        table.settle(at: at(4.9))
        #expect(table.takeStops().isEmpty)
        table.settle(at: at(5))
        table.settle(at: at(5.1))
        #expect(table.takeStops() == [query])
        #expect((table.inFlight, table.nextDue) == (1, at(60)))
        table.ended(query, .timedOut, at: at(5.2))
        #expect(table.takeSettled().map(\.answer) == [.failure(.timedOut)])
    }

    @Test("one site cannot fill the queue: its own least urgent names are refused")
    func fullQueue() {
        var table = table { ($0.queryLimit, $0.waiterLimit) = (1, 4) }
        table.ask(1, "running", for: "x", until: at(9), at: start)
        for caller in 2...7 {
            table.ask(UInt64(caller), "n\(caller).a", for: "a", until: at(Double(caller)), at: start)
        }
        #expect(table.takeSettled().map(\.caller) == [6, 7])
        table.ask(8, "n.b", for: "b", until: at(60), at: start)
        let settled = table.takeSettled()
        #expect(settled.map(\.caller) == [5])
        #expect(settled.map(\.answer) == [.failure(.busy)])
        #expect(table.waitingCount == 4)
    }

    @Test(
        "an outcome is kept for its time, within the bounds",
        arguments: [
            (QueryOutcome.found([], life: .seconds(30)), 30.0), (.found([], life: .zero), 1),
            (.found([], life: .seconds(86_400)), 60), (.notFound, 2), (.failed, 2), (.timedOut, 5), (.unable, 0),
        ],
    )
    func lives(outcome: QueryOutcome, seconds: Double) {
        var table = table()
        table.ask(1, "a.example", for: "a", until: at(9), at: start)
        table.ended(table.takeStarts()[0].query, outcome, at: start)
        if seconds > 0 {
            table.ask(2, "a.example", for: "a", until: at(99), at: at(seconds - 0.1))
            #expect(table.takeSettled().count == 2)
            #expect(table.takeStarts().isEmpty)
        }
        table.ask(3, "a.example", for: "a", until: at(99), at: at(seconds))
        #expect(table.takeStarts().count == 1)
    }

    @Test("the table keeps a bounded number of answers, and forgets the oldest")
    func boundedAnswers() {
        var table = table { $0.cacheLimit = 100 }
        for caller in 1...1000 {
            table.ask(UInt64(caller), "n\(caller)", for: "a", until: at(9), at: start)
            table.ended(table.takeStarts()[0].query, .found(address, life: .seconds(60)), at: start)
        }
        #expect(table.keptCount == 100)
        table.ask(2000, "n901", for: "a", until: at(9), at: start)
        #expect(table.takeStarts().isEmpty)
        table.ask(2001, "n900", for: "a", until: at(9), at: start)
        #expect(table.takeStarts().count == 1)
    }

    @Test("an answer has at most 32 addresses, the best ones")
    func boundedAddresses() {
        var table = table()
        table.ask(1, "a.example", for: "a", until: at(9), at: start)
        let addresses = (0..<10_000).map { IPAddress(v4: $0) }
        table.ended(table.takeStarts()[0].query, .found(addresses, life: .seconds(60)), at: start)
        #expect(table.takeSettled().map(\.answer) == [.success(Array(addresses.prefix(32)))])
    }

    @Test("a table that was stopped has settled all callers, and ignores the ends of its queries")
    func stopping() {
        var table = table { $0.queryLimit = 1 }
        table.ask(1, "a", for: "a", until: at(9), at: start)
        table.ask(2, "b", for: "b", until: at(9), at: start)
        let query = table.takeStarts()[0].query
        table.stop()
        let settled = table.takeSettled()
        #expect(Set(settled.map(\.caller)) == [1, 2])
        #expect(settled.allSatisfy { $0.answer == .failure(.cancelled) })
        table.ended(query, .notFound, at: at(1))
        #expect(table.takeStarts().isEmpty)
        #expect((table.inFlight, table.waitingCount, table.nextDue) == (0, 0, nil))
    }
}
