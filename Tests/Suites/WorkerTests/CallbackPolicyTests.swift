import Base
import Jobs
import Media
import Testing

@Suite("The schedule of a callback's attempts")
struct CallbackPolicyTests {
    private let policy = CallbackPolicy(
        tries: 10,
        age: .seconds(1000),
        firstDelay: .seconds(1),
        longestDelay: .seconds(100)
    )
    private let start = Instant(sinceOrigin: .zero)

    private func callback(failures: Int) -> LeasedCallback {
        LeasedCallback(
            lease: Lease(entry: "1", fence: 1),
            name: JobName(id: "job"),
            url: "https://gateway.example/done",
            reply: JobReply(.ok, body: []),
            trace: nil,
            failures: failures,
            answered: start,
        )
    }

    @Test(
        "each pause is twice as long as the one before, up to the longest",
        arguments: [(0, 1), (1, 2), (5, 32), (7, 100)]
    )
    func doubles(failures: Int, seconds: Int) {
        let callback = callback(failures: failures)
        #expect(policy.delay(after: callback, now: start, random: 0.5) == .seconds(seconds))
    }

    @Test("pauses vary by a fifth in both directions")
    func spreads() {
        #expect(policy.delay(after: callback(failures: 0), now: start, random: 0)?.milliseconds == 800)
        #expect(policy.delay(after: callback(failures: 0), now: start, random: 1)?.milliseconds == 1200)
    }

    @Test("a callback is given up after its last attempt, or when it would be too old")
    func givesUp() {
        #expect(policy.delay(after: callback(failures: 8), now: start, random: 0.5) != nil)
        #expect(policy.delay(after: callback(failures: 9), now: start, random: 0.5) == nil)
        #expect(policy.delay(after: callback(failures: 0), now: start + .seconds(999), random: 0.5) != nil)
        #expect(policy.delay(after: callback(failures: 0), now: start + .seconds(999.5), random: 0.5) == nil)
        #expect(policy.delay(after: callback(failures: .max - 1), now: start, random: 0.5) == nil)
    }

    @Test("attempts whose worker died count: such a callback is given up in the end, and each attempt has its number")
    func diedTries() {
        var callback = callback(failures: 0)
        callback.attempt = 9
        #expect(policy.allows(callback) && policy.delay(after: callback, now: start, random: 0.5) == .seconds(1))
        callback.attempt = 10
        #expect(policy.allows(callback) && policy.delay(after: callback, now: start, random: 0.5) == nil)
        #expect(CallbackRequest(callback, deadline: start).headers["Attachd-Attempt"] == "10")
        callback.attempt = 11
        #expect(!policy.allows(callback))
    }
}
