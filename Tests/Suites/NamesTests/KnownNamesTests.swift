import Base
import class HTTPClient.HTTPClient
import Media
import Support
import Synchronization
import Testing

@testable import HTTPClient

/// Tests that names whose servers are silent leave the resolver to others, and that a known name stays usable (SECURITY
/// N20).
@Suite("Known names while servers are silent", .timeLimit(.minutes(10)))
struct KnownNamesTests {
    private let start = Instant(sinceOrigin: .zero)
    private let address = [IPAddress(v4: 0xC000_0201)]
    private let other = [IPAddress(v4: 0xC000_0202)]

    /// Returns a table of small bounds: 8 queries, 6 of strangers.
    private func table(_ change: (inout ResolverRule) -> Void = { _ in }) -> NameTable {
        var rule = ResolverRule()
        rule.queryLimit = 8
        change(&rule)
        return NameTable(rule)
    }

    /// Returns a table that knows the name "a.known", for one second.
    private func knowing(_ change: (inout ResolverRule) -> Void = { _ in }) -> NameTable {
        var table = table(change)
        table.ask(1000, "a.known", for: "known", until: at(9), at: start)
        table.ended(table.takeStarts()[0].query, .found(address, life: .seconds(1)), at: start)
        _ = table.takeSettled()
        return table
    }

    private func at(_ seconds: Double) -> Instant { start + .seconds(seconds) }

    // MARK: - Shares

    @Test("known sites keep a share of the queries, and strangers have all of them where no site is known")
    func share() {
        for isKnown in [false, true] {
            var table = isKnown ? knowing() : table()
            for caller in 1...20 {
                table.ask(UInt64(caller), "n\(caller)", for: "n\(caller)", until: at(9), at: start)
            }
            #expect(table.takeStarts().count == (isKnown ? 6 : 8))
            table.ask(21, "b.known", for: "known", until: at(9), at: start)
            #expect(table.takeStarts().map(\.host) == (isKnown ? ["b.known"] : []))
        }
    }

    @Test("a known site whose last query timed out is like a stranger, until a name of it is found")
    func silentKnownSite() {
        var table = knowing()
        table.ask(1, "b.known", for: "known", until: at(9), at: start)
        table.ended(table.takeStarts()[0].query, .timedOut, at: at(5))
        for caller in 2...7 { table.ask(UInt64(caller), "n\(caller)", for: "n\(caller)", until: at(9), at: at(5)) }
        let running = table.takeStarts()
        #expect(running.count == 6)
        table.ask(8, "c.known", for: "known", until: at(9), at: at(5))
        #expect(table.takeStarts().isEmpty)
        table.ended(running[0].query, .notFound, at: at(5.1))
        let query = table.takeStarts()[0]
        #expect(query.host == "c.known")
        table.ended(query.query, .found(address, life: .seconds(1)), at: at(5.2))
        table.ask(9, "n9", for: "n9", until: at(9), at: at(5.2))
        #expect(table.takeStarts().count == 1)
        table.ask(10, "d.known", for: "known", until: at(9), at: at(5.2))
        #expect(table.takeStarts().count == 1)
    }

    // MARK: - Queries that yield

    @Test("the oldest late query of a stranger yields to a name that waits, one for each")
    func yielding() {
        var table = knowing()
        table.ask(20, "b.known", for: "known", until: at(9), at: start)
        let known = table.takeStarts()[0].query
        for caller in 1...6 {
            let now = at(0.1 + 0.01 * Double(caller))
            table.ask(UInt64(caller), "n\(caller)", for: "n\(caller)", until: at(9), at: now)
        }
        let running = table.takeStarts().map(\.query)
        #expect(running.count == 6)
        table.ask(7, "first", for: "first", until: at(9), at: at(0.2))
        table.ask(8, "second", for: "second", until: at(9), at: at(0.2))
        #expect(table.nextDue == at(0.11) + .milliseconds(500))
        table.settle(at: at(0.6))
        #expect(table.takeStops().isEmpty)
        table.settle(at: at(0.7))
        table.settle(at: at(0.7))
        #expect(table.takeStops() == [running[0]])
        table.ended(running[0], .timedOut, at: at(0.7))
        #expect(table.takeSettled().map(\.answer) == [.failure(.timedOut)])
        #expect(table.takeStarts().map(\.host) == ["first"])
        #expect(table.takeStops() == [running[1]])
        table.ended(running[1], .timedOut, at: at(0.7))
        #expect(table.takeStarts().map(\.host) == ["second"])
        #expect(table.takeStops().isEmpty)
        #expect(table.nextDue == at(5))
        table.settle(at: at(5))
        #expect(table.takeStops().contains(known))
    }

    @Test("a late query goes on while no name waits for its turn, or only names of a site that has its share")
    func patience() {
        var table = knowing()
        for caller in 1...4 { table.ask(UInt64(caller), "\(caller).slow", for: "slow", until: at(60), at: start) }
        #expect(table.takeStarts().count == 2)
        table.settle(at: at(4.9))
        #expect(table.takeStops().isEmpty)
        #expect(table.nextDue == at(5))
    }

    @Test("a known name that waits has a turn after known sites have all of them, and so has a stranger's")
    func fullOfKnownSites() {
        var table = knowing()
        for site in 1...8 {
            table.ask(UInt64(100 + site), "a.k\(site)", for: "k\(site)", until: at(9), at: start)
            table.ended(table.takeStarts()[0].query, .found(address, life: .seconds(1)), at: start)
        }
        for site in 1...8 {
            let now = at(0.001 * Double(site))
            table.ask(UInt64(site), "b.k\(site)", for: "k\(site)", until: at(9), at: now)
        }
        let running = table.takeStarts().map(\.query)
        #expect(running.count == 8)
        table.ask(20, "stranger", for: "stranger", until: at(9), at: at(0.1))
        table.settle(at: at(0.6))
        #expect(table.takeStops() == [running[0]])
        table.ended(running[0], .timedOut, at: at(0.6))
        #expect(table.takeStarts().map(\.host) == ["stranger"])
        table.ask(21, "b.known", for: "known", until: at(9), at: at(0.7))
        #expect(table.takeStops() == [running[1]])
    }

    @Test(
        "beside unanswered names of ever new sites, known and first-time names are all found within a second",
        arguments: [16, 32],
        [5.0, 300],
    )
    func flood(rate: Int, life: Double) {
        var table = NameTable(ResolverRule())
        var (asked, answers): ([UInt64: Instant], [Instant: [UInt64]]) = ([:], [:])
        var (worst, failures) = (Duration.zero, 0)
        for tick in 0..<8000 {
            let now = start + .milliseconds(5 * tick)
            let number = UInt64(tick) * 4
            if tick * 5 * rate / 1000 != (tick - 1) * 5 * rate / 1000 {
                table.ask(number, "n\(tick).silent", for: "silent\(tick)", until: now + .seconds(5), at: now)
            }
            if tick % 100 == 0 {
                table.ask(number + 1, "a.known", for: "known", until: now + .seconds(5), mayUseLast: true, at: now)
                asked[number + 1] = now
            }
            if tick % 200 == 50 {
                table.ask(number + 2, "n\(tick).new", for: "new\(tick)", until: now + .seconds(5), at: now)
                asked[number + 2] = now
            }
            if table.nextDue.map({ $0 <= now }) == true { table.settle(at: now) }
            for query in answers.removeValue(forKey: now) ?? [] {
                table.ended(query, .found(address, life: .seconds(life)), at: now)
            }
            for query in table.takeStops() { table.ended(query, .timedOut, at: now) }
            for (query, host) in table.takeStarts() where !host.hasSuffix("silent") {
                answers[now + .milliseconds(20), default: []].append(query)
            }
            for (caller, answer) in table.takeSettled() {
                guard let asking = asked.removeValue(forKey: caller) else { continue }
                worst = max(worst, now - asking)
                if answer != .success(address) { failures += 1 }
            }
        }
        #expect(failures == 0)
        #expect(worst <= .seconds(1))
        #expect(asked.count <= 1)
    }

    // MARK: - The last answer

    @Test("the last answer stands in for a late one, whose query goes on and replaces it")
    func lateAnswer() {
        var table = knowing()
        table.ask(1, "a.known", for: "known", until: at(9), mayUseLast: true, at: at(2))
        let query = table.takeStarts()[0].query
        #expect(table.nextDue == at(2.5))
        table.settle(at: at(2.5))
        table.ask(2, "a.known", for: "known", until: at(9), mayUseLast: true, at: at(2.6))
        #expect(table.takeSettled().map(\.answer) == [.success(address), .success(address)])
        #expect(table.takeStops().isEmpty)
        table.ended(query, .found(other, life: .seconds(1)), at: at(3))
        table.ask(3, "a.known", for: "known", until: at(9), mayUseLast: true, at: at(3.5))
        #expect(table.takeSettled().map(\.answer) == [.success(other)])
    }

    @Test("an answer in time is used, not the last one")
    func timelyAnswer() {
        var table = knowing()
        table.ask(1, "a.known", for: "known", until: at(9), mayUseLast: true, at: at(2))
        table.ended(table.takeStarts()[0].query, .found(other, life: .seconds(1)), at: at(2.1))
        #expect(table.takeSettled().map(\.answer) == [.success(other)])
    }

    @Test(
        "the last answer is used for a minute, and not after a definite answer",
        arguments: [
            (QueryOutcome.timedOut, 60.0, true), (.failed, 60, true), (.unable, 60, true), (.timedOut, 61, false),
            (.failed, 61, false), (.notFound, 3, false),
        ],
    )
    func bounds(outcome: QueryOutcome, seconds: Double, isUsed: Bool) {
        var table = knowing()
        table.ask(1, "a.known", for: "known", until: at(99), mayUseLast: true, at: at(seconds))
        table.ended(table.takeStarts()[0].query, outcome, at: at(seconds))
        let first = table.takeSettled().map(\.answer)
        #expect((first == [.success(address)]) == isUsed)
        // The outcome is kept, and the server has some rest.
        guard outcome != .unable else { return }
        table.ask(2, "a.known", for: "known", until: at(99), mayUseLast: true, at: at(seconds + 0.1))
        #expect(table.takeSettled().map(\.answer) == first)
        #expect(table.takeStarts().isEmpty)
    }

    @Test("who may not use the last answer waits for the new one until its deadline, and beside others")
    func strictCaller() {
        var table = knowing()
        table.ask(1, "a.known", for: "known", until: at(9), mayUseLast: true, at: at(2))
        table.ask(2, "a.known", for: "known", until: at(4), at: at(2))
        let query = table.takeStarts()[0].query
        table.settle(at: at(2.5))
        #expect(table.takeSettled().map(\.caller) == [1])
        table.settle(at: at(4))
        #expect(table.takeSettled().map(\.answer) == [.failure(.timedOut)])
        #expect(table.takeStops() == [query])
    }

    @Test("no number of names without an answer makes the table forget addresses")
    func boundedFailures() {
        var table = knowing { $0.cacheLimit = 100 }
        for caller in 1...1000 {
            table.ask(UInt64(caller), "n\(caller)", for: "n\(caller)", until: at(9), at: start)
            table.ended(table.takeStarts()[0].query, .timedOut, at: start)
        }
        #expect(table.keptCount == 101)
        _ = table.takeSettled()
        table.ask(2000, "a.known", for: "known", until: at(9), at: at(0.5))
        #expect(table.takeSettled().map(\.answer) == [.success(address)])
    }

    // MARK: - Requests

    private let time = TestTime()

    /// Calls `body` with a client for whose name `a.example` the server has answered, and answers no more.
    private func withSilence(
        _ addresses: AddressPolicy = AddressPolicy(),
        _ body: (HTTPClient) async throws -> Void,
    ) async throws {
        let isSilent = Atomic(false)
        let server = try NameServer { question in
            if isSilent.load(ordering: .relaxed) { return .silence }
            return question.isForIPv6 ? .nothing : .records([.address("127.0.0.1", life: 1)])
        }
        defer { server.stop() }
        var rule = ResolverRule()
        rule.answerTime = .seconds(30)
        var settings = HTTPSettings()
        settings.addresses = addresses
        settings.resolver = NameResolver(rule, servers: server.address, time: time)
        let client = HTTPClient(settings: settings, time: time)
        let request = HTTPRequest(url: try DownloadURL("https://a.example/"))
        #expect(try await client.resolved(request, until: time.now + .seconds(5)).addresses.count == 1)
        isSilent.store(true, ordering: .relaxed)
        time.advance(by: .seconds(2))
        try await body(client)
        settings.resolver.stop()
    }

    @Test(
        "a request with secrets gets the last addresses over TLS only",
        arguments: [("http", false, true), ("https", false, true), ("https", true, true), ("http", true, false)]
    )
    func secrets(scheme: String, isConfidential: Bool, isUsed: Bool) async throws {
        try await withSilence { client in
            var request = HTTPRequest(url: try DownloadURL("\(scheme)://a.example/"))
            request.isConfidential = isConfidential
            let limit = Duration.milliseconds(2500)
            let wait: Duration = isUsed ? .milliseconds(500) : limit
            let end = time.now + wait
            async let answer = client.resolved(request, until: end - wait + limit)
            await time.sleeper(until: end)
            time.advance(by: wait)
            let addresses = try? await answer.addresses
            #expect(addresses == (isUsed ? [IPAddress(v4: 0x7F00_0001)] : nil))
        }
    }

    @Test("the last addresses pass the address policy when a socket is opened")
    func policy() async throws {
        try await withSilence { client in
            let end = time.now + .milliseconds(500)
            let message = OutgoingMessage(.get, headers: [:])
            let limit = time.now + .seconds(300)
            let answer = Task { try await client.send(message, to: "https://a.example/", until: limit) }
            await time.sleeper(until: end)
            time.advance(by: .milliseconds(500))
            let failure = await #expect(throws: AttachmentFailure.self) { try await answer.value }
            #expect(failure?.concealedCause?.refusal?.hasPrefix("127.0.0.1 is a loopback address") == true)
        }
    }
}
