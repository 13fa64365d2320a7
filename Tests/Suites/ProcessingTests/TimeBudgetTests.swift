import Base
import Media
import Processing
import Testing

@Suite("The division of time")
struct TimeBudgetTests {
    let now = Instant(sinceOrigin: .seconds(100))

    @Test("expiry, storing and the deadline come in that order", arguments: [0, 1, 50, 800, 25_000, 300_000])
    func order(milliseconds: Int) {
        let deadline = now + .milliseconds(milliseconds)
        let budget = TimeBudget(now: now, deadline: deadline)
        #expect(now <= budget.expiry && budget.expiry <= budget.storeExpiry && budget.storeExpiry <= deadline)
        #expect(deadline - budget.expiry <= .milliseconds(150))
    }

    @Test(
        "if files go over a network, twice the expected time is reserved, but at most a quarter of the total"
    )
    func network() {
        let (deadline, cost) = (now + .seconds(20), Duration.milliseconds(400))
        let (plain, budget) = (
            TimeBudget(now: now, deadline: deadline), TimeBudget(now: now, deadline: deadline, storing: cost)
        )
        #expect(plain.expiry - budget.expiry == .milliseconds(800) && plain.storeExpiry == budget.storeExpiry)
        let long = TimeBudget(now: now, deadline: deadline, storing: .seconds(60))
        #expect(plain.expiry - long.expiry == .seconds(5))
    }

    @Test("where timers end late, everything is earlier by that, but at most by a quarter of the time")
    func lateness() {
        let (deadline, late) = (now + .seconds(20), Duration.milliseconds(250))
        let (plain, early) = (
            TimeBudget(now: now, deadline: deadline), TimeBudget(now: now, deadline: deadline, lateness: late)
        )
        #expect(plain.expiry - early.expiry == late && plain.storeExpiry - early.storeExpiry == late)
        let soon = now + .milliseconds(800)
        let short = TimeBudget(now: now, deadline: soon, storing: .seconds(60), lateness: .seconds(1))
        #expect(short.storeExpiry < soon - .milliseconds(200) && short.storeExpiry > soon - .milliseconds(240))
        #expect(now < short.expiry && short.expiry < short.storeExpiry)
    }

    @Test("a deadline in the past leaves no time, and causes no trap")
    func passed() {
        let budget = TimeBudget(now: now, deadline: now - .seconds(5))
        #expect(budget.expiry == now - .seconds(5))
    }

    @Test("a source is ended early enough to decode it, but never in the first half of the time")
    func source() {
        let expiry = now + .seconds(10)
        #expect(
            TimeBudget.sourceExpiry(now: now, expiry: expiry, decoding: .milliseconds(400)) == expiry
                - .milliseconds(400)
        )
        #expect(TimeBudget.sourceExpiry(now: now, expiry: expiry, decoding: .zero) == expiry - .milliseconds(200))
        #expect(TimeBudget.sourceExpiry(now: now, expiry: expiry, decoding: .seconds(60)) == expiry - .seconds(5))
    }
}
