import Base
import Media
import Support
import Testing

@testable import Downloads
@testable import HTTPClient

@Suite("Preemption of slow requests")
struct PreemptionTests {
    private let start = Instant(sinceOrigin: .seconds(1000))
    private let evil = (0..<100).map { Origin(scheme: "https", host: "\($0).evil.example", port: 443) }
    private let good = (0..<100).map { Origin(scheme: "https", host: "good\($0).example", port: 443) }

    private func table(_ globalLimit: Int = 8, _ change: (inout OriginRule) -> Void = { _ in }) -> OriginTable {
        var rule = OriginRule()
        rule.globalLimit = globalLimit
        rule.grace = .seconds(1)
        change(&rule)
        return OriginTable(rule)
    }

    /// Requests a permit for each origin, and returns the permits that were granted.
    private func ask(
        _ table: inout OriginTable,
        _ origins: some Sequence<Origin>,
        at now: Instant,
        within time: Duration = .seconds(20),
    ) -> [OriginTable.Permit] {
        for origin in origins { table.ask(0, origin, until: now + time, at: now) }
        return table.takeSettled().compactMap { try? $0.decision.get() }
    }

    private func leave(_ table: inout OriginTable, _ permit: OriginTable.Permit, at now: Instant) {
        _ = table.leave(permit, OriginOutcome(wasPreempted: true), at: now, jitter: 0.5)
    }

    @Test("a site alone may use all permits, under any number of names")
    func alone() {
        var table = table(8)
        #expect(ask(&table, evil.prefix(10), at: start).count == 8)
    }

    @Test(
        "a site among others leaves a quarter of the permits, and gets it once the others have been gone for a while"
    )
    func reserve() {
        var table = table(8)
        _ = ask(&table, good.prefix(1), at: start).map { table.leave($0, .worked, at: start, jitter: 0.5) }
        #expect(ask(&table, evil.prefix(10), at: start + .seconds(1)).count == 6)
        // No time passes for an honest source.
        let honest = ask(&table, good.prefix(2), at: start + .seconds(2))
        #expect(honest.count == 2)
        for permit in honest { _ = table.leave(permit, .worked, at: start + .seconds(13), jitter: 0.5) }
        #expect(table.takeSettled().count == 2 && table.inFlight == 8)
    }

    @Test("when others wait, the slowest is preempted after it had time to answer, and no more requests than wait")
    func slowest() {
        var table = table(4)
        let permits = ask(&table, good.prefix(4), at: start)
        // 1 MB in 20 s needs 50 kB/s.
        for (permit, rate) in zip(permits, [200_000, 40_000, 1, 60_000]) {
            table.progressed(permit, rate / 2, of: 1_000_000, at: start + .seconds(0.5))
        }
        #expect(ask(&table, good[10...10], at: start + .seconds(0.6)).isEmpty)
        #expect(table.takePreempted().isEmpty)
        #expect(table.nextDue(after: start + .seconds(0.6)) == start + .seconds(1))
        for (permit, rate) in zip(permits, [200_000, 40_000, 1, 60_000]) {
            table.progressed(permit, rate, of: 1_000_000, at: start + .seconds(1))
        }
        table.settle(at: start + .seconds(1))
        #expect(table.takePreempted().map(\.number) == [permits[2].number])
        table.settle(at: start + .seconds(1.1))
        #expect(table.takePreempted().isEmpty)
        leave(&table, permits[2], at: start + .seconds(1.1))
        #expect(table.takeSettled().count == 1 && table.waiterCount == 0)
        // The next request preempts the next slowest, and none that is fast enough.
        for number in 11..<14 { _ = ask(&table, good[number...number], at: start + .seconds(1.2)) }
        let next = table.takePreempted()
        #expect(next.map(\.number) == [permits[1].number] && next.map(\.cause) == [.slow])
    }

    @Test("no request is preempted while no request waits")
    func quiet() {
        var table = table(4)
        _ = ask(&table, evil.prefix(4), at: start)
        table.settle(at: start + .seconds(15))
        #expect(table.takePreempted().isEmpty && table.nextDue(after: start + .seconds(15)) == nil)
    }

    @Test("when the process ends, requests that would outlast it end, and waiting ones begin for half a second only")
    func ending() {
        var table = table(2)
        let permits = ask(&table, [evil[0], good[0]], at: start)
        #expect(ask(&table, evil[1...1], at: start + .seconds(0.5)).isEmpty)
        _ = table.takePreempted()
        table.progressed(permits[0], 2, of: nil, at: start + .seconds(2))
        table.progressed(permits[1], 500_000, of: 1_000_000, at: start + .seconds(2))
        table.drain(until: start + .seconds(8), at: start + .seconds(2))
        let ended = table.takePreempted()
        #expect(ended.map(\.number) == [permits[0].number] && ended.map(\.cause) == [.ending])
        #expect(table.nextDue(after: start + .seconds(2)) != nil)
        table.settle(at: start + .seconds(2.5))
        #expect(table.takeSettled().map(\.decision) == [.failure(.late)])
        // What is fast enough has its time.
        table.settle(at: start + .seconds(3.5))
        #expect(table.takePreempted().isEmpty && table.inFlight == 2)
    }

    @Test("a request whose receiver pauses lends its permit, and is judged anew when it goes on")
    func suspended() {
        var table = table(2)
        let permits = ask(&table, evil.prefix(2), at: start)
        table.progressed(permits[0], 1000, of: 1_000_000, at: start + .seconds(1))
        table.suspend(permits[0], at: start + .seconds(1))
        table.suspend(permits[0], at: start + .seconds(1))
        #expect(table.inFlight == 1)
        let next = ask(&table, good.prefix(1), at: start + .seconds(1))
        #expect(next.count == 1 && table.inFlight == 2)
        // It holds nothing that those need that wait.
        #expect(ask(&table, good[1...1], at: start + .seconds(2)).isEmpty)
        #expect(table.takePreempted().map(\.number) == [permits[1].number])
        leave(&table, permits[1], at: start + .seconds(3))
        #expect(table.takeSettled().count == 1 && table.inFlight == 2)
        table.resume(permits[0], at: start + .seconds(8))
        #expect(table.inFlight == 3)
        #expect(ask(&table, good[2...2], at: start + .seconds(8.5)).isEmpty)
        #expect(!table.takePreempted().map(\.number).contains(permits[0].number))
        leave(&table, next[0], at: start + .seconds(8.6))
        // It brings nothing after its pause, either.
        #expect(ask(&table, good[3...4], at: start + .seconds(11)).isEmpty)
        #expect(table.running[permits[0].number]?.preemption == .slow)
        leave(&table, permits[0], at: start + .seconds(11))
        #expect(table.running[permits[0].number] == nil && table.inFlight <= 2)
    }

    @Test("when the process ends, a request whose receiver pauses ends, too")
    func suspendedAtTheEnd() {
        var table = table(2)
        let permits = ask(&table, good.prefix(1), at: start)
        table.progressed(permits[0], 1000, of: 1_000_000, at: start + .seconds(1))
        table.suspend(permits[0], at: start + .seconds(1))
        table.drain(until: start + .seconds(10), at: start + .seconds(4))
        table.settle(at: start + .seconds(6))
        #expect(table.takePreempted().map(\.cause) == [.ending])
        leave(&table, permits[0], at: start + .seconds(6))
        #expect(table.inFlight == 0)
    }

    @Test("when the process ends, a request without a first byte has until the end, whenever it began")
    func firstByte() {
        var table = table(2) { $0.grace = .seconds(2) }
        let permits = ask(&table, [evil[0]], at: start)
        table.drain(until: start + .seconds(6), at: start + .seconds(0.1))
        let later = ask(&table, [good[0]], at: start + .seconds(0.5))
        #expect(later.count == 1)
        table.settle(at: start + .seconds(5.9))
        #expect(table.takePreempted().isEmpty)
        table.settle(at: start + .seconds(6))
        #expect(table.takePreempted().map(\.number) == (permits + later).map(\.number))
    }

    @Test("a fast site is preempted down to its share only, and for other sites up to theirs only")
    func share() {
        var table = table(8)
        let permits = ask(&table, evil.prefix(8), at: start)
        for permit in permits { table.progressed(permit, 900_000, of: 1_000_000, at: start + .seconds(1)) }
        #expect(ask(&table, good.prefix(1), at: start + .seconds(1)).isEmpty)
        let first = table.takePreempted()
        #expect(first.map(\.cause) == [.share])
        for permit in permits where permit.number == first.first?.number {
            leave(&table, permit, at: start + .seconds(1))
        }
        #expect(table.takeSettled().count == 1)
        // The site's own next requests preempt none of the others'.
        _ = ask(&table, evil[50..<60], at: start + .seconds(3))
        #expect(table.takePreempted().isEmpty)
    }

    @Test("requests of a site that has its share don't preempt another's slow ones")
    func flood() {
        var table = table(8)
        _ = ask(&table, good.prefix(1), at: start)
        _ = ask(&table, evil.prefix(40), at: start)
        let numbers = Set(table.running.filter { $0.value.origin.site == good[0].site }.keys)
        table.settle(at: start + .seconds(5))
        let driven = table.takePreempted()
        #expect(!driven.isEmpty && driven.allSatisfy { !numbers.contains($0.number) })
    }

    @Test("an origin's own slow requests are preempted when its limit keeps others waiting")
    func sameOrigin() {
        var table = table(64) { $0.firstLimit = 2 }
        let permits = ask(&table, [evil[0], evil[0], evil[0], good[0]], at: start)
        #expect(permits.count == 3)
        table.settle(at: start + .seconds(1))
        let driven = table.takePreempted().map(\.number)
        #expect(driven.count == 1 && driven.allSatisfy { permits.prefix(2).map(\.number).contains($0) })
    }

    @Test("a site whose requests are too slow for others is paused, whatever names it uses")
    func leftAlone() {
        var table = table(8)
        var now = start
        var held: [UInt64: OriginTable.Permit] = [:]
        for round in 0..<12 where table.refusingCount == 0 {
            // Names cost nothing.
            for permit in ask(&table, evil[(8 * round)..<(8 * round + 8)], at: now) { held[permit.number] = permit }
            let waiting = ask(&table, good.prefix(4), at: now)
            now = now + .seconds(1)
            table.settle(at: now)
            for (number, _) in table.takePreempted() {
                if let permit = held.removeValue(forKey: number) { leave(&table, permit, at: now) }
            }
            for permit in waiting + table.takeSettled().compactMap({ try? $0.decision.get() }) {
                if permit.origin.host.contains("evil") {
                    held[permit.number] = permit
                } else {
                    _ = table.leave(permit, .worked, at: now, jitter: 0.5)
                }
            }
        }
        #expect(table.refusingCount > 0)
        table.ask(7, Origin(scheme: "http", host: "new.evil.example", port: 80), until: now + .seconds(20), at: now)
        let refused = table.takeSettled().contains { number, decision in
            if number == 7, case .failure(.failing) = decision { true } else { false }
        }
        #expect(refused)
        // This says nothing about other sites.
        #expect(ask(&table, good[20...20], at: now).count == 1)
    }

    @Test("slow requests are preempted for those that wait elsewhere, and fast ones aren't, whatever their site")
    func demand() {
        var table = table(64)
        let permits = ask(&table, evil.prefix(4), at: start)
        table.progressed(permits[1], 500_000, of: 1_000_000, at: start + .seconds(1))
        table.setDemand(10, at: start + .seconds(1))
        #expect(Set(table.takePreempted().map(\.number)) == Set(permits.map(\.number)).subtracting([permits[1].number]))
        table.setDemand(0, at: start + .seconds(2))
        #expect(table.nextDue(after: start + .seconds(2)) == nil)
    }

    @Test("a queue that would take too long is not joined if the caller has a choice")
    func crowded() {
        var table = OriginTable(.callbacks)
        for number in 0..<5 { table.ask(UInt64(number), evil[0], until: start + .seconds(20), at: start) }
        let decisions = table.takeSettled()
        #expect(decisions.count == 5 && table.waiterCount == 0)
        guard case .failure(.crowded)? = decisions.last?.decision else {
            Issue.record("the fifth request got a permit")
            return
        }
        // The caller waits for one that answers soon.
        for case .success(let permit) in decisions.map(\.decision) {
            _ = table.leave(permit, .worked, at: start + .milliseconds(5), jitter: 0.5)
        }
        for number in 10..<30 { table.ask(UInt64(number), evil[0], until: start + .seconds(20), at: start) }
        #expect(table.waiterCount == 16)
    }

    @Test(
        "a request's chance of success follows its rate of the last seconds",
        arguments: [nil, 100_000] as [Int?]
    )
    func promise(expected: Int?) {
        let origin = evil[0]
        var request = RunningRequest(
            origin,
            isKnown: true,
            start: start,
            grace: .seconds(1),
            deadline: start + .seconds(20)
        )
        request.progressed(40_000, of: expected, at: start + .seconds(1))
        #expect(request.promise(at: start + .seconds(1), before: nil).share > 1)
        // The request receives a byte now and then.
        for second in 2..<12 {
            request.progressed(40_000 + second, of: expected, at: start + .seconds(second))
            _ = request.promise(at: start + .seconds(second), before: nil)
        }
        #expect(request.promise(at: start + .seconds(12), before: nil).share < 0.01)
        #expect(request.promise(at: start + .seconds(21), before: nil).share == 0)
    }
}
