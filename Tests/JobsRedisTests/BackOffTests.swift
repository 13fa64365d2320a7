import Media
import Testing

@testable import JobsRedis

@Suite("When a lost connection is tried again")
struct BackOffTests {
    private let now = Instant(sinceOrigin: .seconds(100))

    @Test("each wait is up to twice as long as the one before, and none longer than the longest")
    func steps() {
        var backOff = BackOff()
        #expect(backOff.nextAttempt == nil)
        var waits: [Duration] = []
        for _ in 0..<40 {
            backOff.failed(at: now, jitter: 1)
            waits.append((backOff.nextAttempt ?? now) - now)
        }
        #expect(waits.prefix(4) == [.milliseconds(50), .milliseconds(100), .milliseconds(200), .milliseconds(400)])
        #expect(waits.last == BackOff.longest)
        backOff.succeeded()
        #expect(backOff.nextAttempt == nil)
    }

    @Test("workers that lost it together come back apart, none before half its wait", arguments: [0, 0.25, 0.5, 1])
    func jitter(jitter: Double) {
        var backOff = BackOff()
        backOff.failed(at: now, jitter: jitter)
        let wait = (backOff.nextAttempt ?? now) - now
        #expect(wait == BackOff.first * (0.5 + jitter / 2))
    }
}
