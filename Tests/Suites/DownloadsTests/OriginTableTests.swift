import Base
import Media
import Support
import Testing

@testable import Downloads
@testable import HTTPClient

@Suite("The schedule of requests to origins")
struct OriginTableTests {
    private let start = Instant(sinceOrigin: .seconds(1000))
    private let a = Origin(scheme: "https", host: "a.example", port: 443)
    private let b = Origin(scheme: "https", host: "b.example", port: 443)

    /// Returns the permits that are granted now, and the refused requests.
    private func take(_ table: inout OriginTable) -> (permits: [OriginTable.Permit], refusals: [OriginLimitError]) {
        let decisions = table.takeSettled().map(\.decision)
        return (
            decisions.compactMap { try? $0.get() },
            decisions.compactMap { if case .failure(let refusal) = $0 { refusal } else { nil } }
        )
    }

    /// Makes one request that ends with `outcome` at once.
    private func request(_ table: inout OriginTable, _ origin: Origin, _ outcome: OriginOutcome, at now: Instant) {
        table.ask(0, origin, until: now + .seconds(60), at: now)
        for permit in take(&table).permits {
            if outcome == .worked { table.answered(permit, at: now) }
            _ = table.leave(permit, outcome, at: now, jitter: 0.5)
        }
    }

    @Test("an origin gets eight requests at once, one more with each that it begins to answer, 32 at most")
    func increase() {
        var table = OriginTable(OriginRule())
        for number in 0..<40 { table.ask(UInt64(number), a, until: start + .seconds(60), at: start) }
        let permits = take(&table).permits
        #expect(permits.count == 8 && table.waiterCount == 32)
        // None of them has ended.
        for permit in permits { table.answered(permit, at: start) }
        let more = take(&table).permits
        #expect(more.count == 8 && table[a]?.limit == 16)
        for permit in permits + more + more { table.answered(permit, at: start) }
        #expect(take(&table).permits.count == 16 && table[a]?.limit == 32 && table[b] == nil)
    }

    @Test("after an overload the limit grows by one with each ten answers")
    func increaseAfterwards() {
        var table = OriginTable(OriginRule())
        request(&table, a, OriginOutcome(isOverloaded: true), at: start)
        for _ in 0..<9 { request(&table, a, .worked, at: start + .seconds(1)) }
        #expect(table[a]?.limit == 4)
        for _ in 0..<11 { request(&table, a, .worked, at: start + .seconds(1)) }
        #expect(table[a]?.limit == 6)
        for _ in 0..<1000 { request(&table, a, .worked, at: start + .seconds(1)) }
        #expect(table[a]?.limit == 32)
    }

    @Test("an answer to a request from before the overload isn't counted")
    func answeredBefore() {
        var table = OriginTable(OriginRule())
        for number in 0..<2 { table.ask(UInt64(number), a, until: start + .seconds(60), at: start) }
        let permits = take(&table).permits
        _ = table.leave(permits[0], OriginOutcome(isOverloaded: true), at: start + .seconds(1), jitter: 0)
        for _ in 0..<20 { table.answered(permits[1], at: start + .seconds(2)) }
        #expect(table[a]?.limit == 4)
    }

    @Test("an overload halves the limit, once for all running requests, and never below two")
    func decrease() {
        var table = OriginTable(OriginRule())
        let busy = OriginOutcome(isOverloaded: true)
        for number in 0..<8 { table.ask(UInt64(number), a, until: start + .seconds(60), at: start) }
        for permit in take(&table).permits { _ = table.leave(permit, busy, at: start + .seconds(1), jitter: 0) }
        #expect(table[a]?.limit == 4)
        for second in 2..<6 { request(&table, a, busy, at: start + .seconds(second)) }
        #expect(table[a]?.limit == 2)
    }

    @Test("waiting requests are served by the least time left, in whatever order they came")
    func order() {
        var rule = OriginRule()
        rule.firstLimit = 1
        var table = OriginTable(rule)
        table.ask(0, a, until: start + .seconds(60), at: start)
        for (number, seconds) in [(1, 30), (2, 10), (3, 20)] {
            table.ask(UInt64(number), a, until: start + .seconds(seconds), at: start)
        }
        var order: [UInt64] = []
        for _ in 0..<4 {
            let settled = table.takeSettled()
            order += settled.map(\.number)
            for case .success(let permit) in settled.map(\.decision) {
                _ = table.leave(permit, .worked, at: start, jitter: 0)
            }
        }
        #expect(order == [0, 2, 3, 1])
    }

    @Test("all origins together get a fixed number of permits")
    func global() {
        var rule = OriginRule()
        rule.globalLimit = 3
        var table = OriginTable(rule)
        for number in 0..<2 { table.ask(UInt64(number), a, until: start + .seconds(60), at: start) }
        for number in 2..<5 { table.ask(UInt64(number), b, until: start + .seconds(60), at: start) }
        let permits = take(&table).permits
        #expect(permits.count == 3 && table.waiterCount == 2)
        // A permit of one origin may go to any other.
        _ = table.leave(permits[0], .worked, at: start, jitter: 0)
        #expect(take(&table).permits.map(\.origin) == [b])
    }

    @Test("an origin that asks for a pause is asked once a second, and one answer ends the pause for all that wait")
    func pause() {
        var table = OriginTable(OriginRule())
        request(&table, a, OriginOutcome(isOverloaded: true, pause: .seconds(60)), at: start)
        table.ask(1, a, until: start + .milliseconds(500), at: start)
        for number in 2..<5 { table.ask(UInt64(number), a, until: start + .seconds(20), at: start) }
        // The pause lasts five seconds at most, whatever the origin asks for.
        #expect(take(&table).refusals == [.askedToWait(until: start + .seconds(5))])
        #expect(table.nextDue(after: start) == start + .seconds(1))
        table.settle(at: start + .milliseconds(900))
        #expect(table.takeSettled().isEmpty)
        table.settle(at: start + .seconds(1))
        let test = take(&table).permits
        #expect(test.count == 1 && table.waiterCount == 2)
        let again = OriginOutcome(isOverloaded: true, pause: .seconds(60))
        for permit in test { _ = table.leave(permit, again, at: start + .seconds(1), jitter: 0.5) }
        table.settle(at: start + .seconds(2))
        let second = take(&table).permits
        #expect(second.count == 1 && table.waiterCount == 1)
        for permit in second { _ = table.leave(permit, .worked, at: start + .seconds(2), jitter: 0.5) }
        #expect(take(&table).permits.count == 1 && table.waiterCount == 0)
    }

    @Test("an answer to a request from before the pause doesn't end it")
    func answeredBeforePause() {
        var table = OriginTable(OriginRule())
        for number in 0..<2 { table.ask(UInt64(number), a, until: start + .seconds(60), at: start) }
        let permits = take(&table).permits
        _ = table.leave(permits[0], OriginOutcome(pause: .seconds(60)), at: start + .seconds(1), jitter: 0.5)
        _ = table.leave(permits[1], .worked, at: start + .seconds(2), jitter: 0.5)
        #expect(table[a]?.hold(at: start + .milliseconds(1500))?.isAsked == true)
    }

    @Test("an unreachable origin is tested by one request each second, for which the others wait")
    func failing() {
        var rule = OriginRule()
        rule.firstLimit = 5
        var table = OriginTable(rule)
        for number in 0..<9 { table.ask(UInt64(number), a, until: start + .seconds(60), at: start) }
        var opened = 0
        for permit in take(&table).permits.prefix(5) {
            if table.leave(permit, OriginOutcome(health: .unreachable), at: start, jitter: 0.5) { opened += 1 }
        }
        #expect(opened == 1)
        let before = take(&table).permits
        #expect(before.count == 4)
        for permit in before { _ = table.leave(permit, .unknown, at: start, jitter: 0.5) }
        for number in 10..<14 { table.ask(UInt64(number), a, until: start + .seconds(60), at: start) }
        table.ask(20, a, until: start + .milliseconds(500), at: start)
        #expect(take(&table).refusals == [.failing(until: start + .seconds(1))])
        table.settle(at: start + .seconds(1))
        let first = take(&table).permits
        #expect(first.count == 1 && table.waiterCount == 3 && table.refusingCount == 1)
        // What waited for a test that fails is not left until its deadline.
        for permit in first {
            _ = table.leave(permit, OriginOutcome(health: .unreachable), at: start + .seconds(1), jitter: 0.5)
        }
        #expect(take(&table).refusals == Array(repeating: .failing(until: start + .seconds(2)), count: 3))
        for number in 30..<33 { table.ask(UInt64(number), a, until: start + .seconds(60), at: start + .seconds(1)) }
        table.settle(at: start + .seconds(2))
        let second = take(&table).permits
        #expect(second.count == 1 && table.waiterCount == 2)
        for permit in second { _ = table.leave(permit, .worked, at: start + .seconds(2), jitter: 0.5) }
        #expect(take(&table).permits.count == 2 && table.refusingCount == 0)
    }

    @Test("nobody waits for more than two seconds for a test that has no answer")
    func patience() {
        var table = OriginTable(OriginRule())
        for number in 0..<5 { table.ask(UInt64(number), a, until: start + .seconds(60), at: start) }
        for permit in take(&table).permits {
            _ = table.leave(permit, OriginOutcome(health: .unreachable), at: start, jitter: 0.5)
        }
        for number in 5..<8 { table.ask(UInt64(number), a, until: start + .seconds(60), at: start) }
        table.settle(at: start + .seconds(1))
        #expect(take(&table).permits.count == 1 && table.nextDue(after: start) == start + .seconds(3))
        table.settle(at: start + .seconds(3))
        #expect(take(&table).refusals == [.failing(until: nil), .failing(until: nil)])
        table.ask(9, a, until: start + .seconds(60), at: start + .seconds(3))
        #expect(take(&table).refusals == [.failing(until: nil)])
    }

    @Test("a site has a limited number of waiting requests, and others are not held back by them")
    func lines() {
        var rule = OriginRule()
        rule.lineLimit = 100
        var table = OriginTable(rule)
        for number in 0..<200 { table.ask(UInt64(number), a, until: start + .seconds(60), at: start) }
        let decisions = take(&table)
        #expect(decisions.permits.count == 8 && table.waiterCount == 100 && decisions.refusals.count == 92)
        #expect(decisions.refusals.allSatisfy { $0 == .crowded(until: start + .seconds(1)) })
        table.ask(200, b, until: start + .seconds(60), at: start)
        #expect(take(&table).permits.count == 1)
    }

    @Test("a decision looks at as many entries however many requests wait", arguments: [1, 4, 10_000])
    func cost(siteCount: Int) {
        /// Returns the entries that are looked at while one request ends and another one comes, for each of these.
        func examined(_ waiting: Int) -> Int {
            var rule = OriginRule()
            (rule.globalLimit, rule.lineLimit, rule.tableLimit) = (64, .max, 20_000)
            var table = OriginTable(rule)
            let origins = (0..<min(siteCount, waiting)).map {
                Origin(scheme: "https", host: "a.site\($0).example", port: 443)
            }
            for number in 0..<(waiting + 64) {
                let origin = origins[number % origins.count]
                table.ask(UInt64(number), origin, until: start + .seconds(60) + .milliseconds(number), at: start)
            }
            let permits = take(&table).permits
            let before = table.waiting.examined
            for (number, permit) in permits.prefix(8).enumerated() {
                _ = table.leave(permit, .worked, at: start, jitter: 0.5)
                let next = UInt64(1_000_000 + number)
                table.ask(next, origins[0], until: start + .seconds(70), at: start)
                _ = table.nextDue(after: start)
            }
            return (table.waiting.examined - before) / 16
        }
        let few = examined(100)
        #expect(examined(1_000) <= few + 8 && examined(10_000) <= few + 8, "\(few)")
    }

    @Test("there is one retry at first, and one more for each ten requests, if there is time for it")
    func retries() {
        var table = OriginTable(OriginRule())
        for _ in 0..<100 { request(&table, a, .worked, at: start) }
        var retries = 0
        while table.mayRetry(a, until: start + .seconds(60), at: start) { retries += 1 }
        #expect(retries == 10)
        request(&table, b, .worked, at: start)
        let first = table.mayRetry(b, until: start + .seconds(60), at: start)
        let second = table.mayRetry(b, until: start + .seconds(60), at: start)
        #expect(first && !second)
        var slow = OriginTable(OriginRule())
        slow.ask(0, a, until: start + .seconds(60), at: start)
        for permit in take(&slow).permits { _ = slow.leave(permit, .worked, at: start + .seconds(4), jitter: 0) }
        let hurried = slow.mayRetry(a, until: start + .seconds(12), at: start + .seconds(4))
        let unhurried = slow.mayRetry(a, until: start + .seconds(13), at: start + .seconds(4))
        #expect(!hurried && unhurried)
    }

    @Test("ten thousand origins are remembered: the most recently used, and those in use")
    func forgets() {
        var rule = OriginRule()
        rule.tableLimit = 100
        rule.globalLimit = 1000
        var table = OriginTable(rule)
        table.ask(0, a, until: start + .seconds(60), at: start)
        _ = table.takeSettled()
        for number in 0..<1000 {
            let origin = Origin(scheme: "http", host: "\(number).example", port: 80)
            request(&table, origin, .worked, at: start)
            #expect(table.originCount <= 100)
        }
        #expect(table[a]?.inFlight == 1)
        #expect(table[Origin(scheme: "http", host: "999.example", port: 80)] != nil)
        #expect(table[Origin(scheme: "http", host: "1.example", port: 80)] == nil)
        #expect(OriginRule().tableLimit == 10_000)
    }

    @Test(
        "in any order of events, origins keep within their limits and to one probe, and requests are answered in time",
        arguments: 0..<60
    )
    func property(seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        var rule = OriginRule()
        rule.globalLimit = Int.random(in: 3...40, using: &random)
        rule.firstLimit = Int.random(in: 2...8, using: &random)
        // An origin that is forgotten and asked again starts over.
        let forgets = seed % 2 == 0
        if forgets { rule.tableLimit = 4 }
        var table = OriginTable(rule)
        let origins = (0..<6).map { Origin(scheme: "https", host: "\($0).example", port: 443) }
        var now = start
        var deadlines: [UInt64: Instant] = [:]
        var asked: [UInt64: Origin] = [:]
        var held: [OriginTable.Permit] = []
        var (requests, retries) = (0, 0)
        // Checks the decisions before another event changes the state.
        func check() {
            for (number, decision) in table.takeSettled() {
                // Once, and not after its deadline.
                let deadline = deadlines.removeValue(forKey: number)
                let origin = asked.removeValue(forKey: number)
                #expect(deadline != nil)
                switch decision {
                case .success(let permit):
                    #expect(permit.origin == origin && deadline.map { now < $0 } == true)
                    if permit.origin == origins[0] { requests += 1 }
                    let record = table[permit.origin]
                    // The limit may fall while permits are held: each grant is within it.
                    #expect(record.map { $0.inFlight <= $0.limit } == true && table.inFlight <= rule.globalLimit)
                    if record?.breaker.isClosed == false {
                        #expect(record?.breaker.refusal(at: now) == CircuitBreaker.OpenError(until: nil))
                    }
                    held.append(permit)
                case .failure: #expect(deadline.map { now <= $0 } == true)
                }
            }
        }
        for number in 0..<UInt64(3000) {
            // Time moves on by at most as much as the table asks for.
            let step = now + .milliseconds(.random(in: 0...300, using: &random))
            now = max(now, min(step, table.nextDue(after: now) ?? step))
            table.settle(at: now)
            check()
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let origin = origins[Int.random(in: 0..<6, using: &random)]
                deadlines[number] = now + .milliseconds(.random(in: 0...5000, using: &random))
                asked[number] = origin
                table.ask(number, origin, until: deadlines[number] ?? now, at: now)
            case 5 where !held.isEmpty:
                table.answered(held[Int.random(in: 0..<held.count, using: &random)], at: now)
            case 6..<9 where !held.isEmpty:
                let permit = held.remove(at: Int.random(in: 0..<held.count, using: &random))
                _ = table.leave(permit, outcome(&random), at: now, jitter: 0.5)
            case 9:
                if let waiting = deadlines.keys.min() { table.cancel(waiting) }
                if table.mayRetry(origins[0], until: now + .seconds(60), at: now) { retries += 1 }
            default: break
            }
            check()
            #expect(deadlines.values.allSatisfy { now < $0 }, "a request was forgotten")
            #expect(table.inFlight == held.count && table.waiterCount == deadlines.count)
        }
        #expect(Double(retries) <= 1 + Double(requests) * rule.retryShare || forgets)
    }

    private func outcome(_ random: inout SplitMix) -> OriginOutcome {
        let outcomes: [OriginOutcome] = [
            .worked, .worked, .worked, .unknown, OriginOutcome(health: .unreachable),
            OriginOutcome(health: .failure, isOverloaded: true), OriginOutcome(isOverloaded: true, pause: .seconds(2)),
        ]
        return outcomes.randomElement(using: &random) ?? .worked
    }
}
