import Base
import Media
import Testing

@Suite("Pauses between attempts")
struct BackOffTests {
    @Test("each is at most twice as long as the one before, and as the longest")
    func steps() {
        var backOff = BackOff(first: .milliseconds(50), longest: .seconds(2))
        var pauses: [Duration] = []
        for _ in 0..<40 { pauses.append(backOff.next(jitter: 1)) }
        #expect(pauses.prefix(4) == [.milliseconds(50), .milliseconds(100), .milliseconds(200), .milliseconds(400)])
        #expect(pauses.last == .seconds(2) && backOff.failures == 40)
        backOff.succeeded()
        let first = backOff.next(jitter: 1)
        #expect(first == .milliseconds(50))
    }

    @Test(
        "simultaneous failures are retried at different times, none before half its step",
        arguments: [0, 0.25, 0.5, 1]
    )
    func jitter(jitter: Double) {
        var backOff = BackOff()
        let pause = backOff.next(jitter: jitter)
        #expect(pause == .milliseconds(50) * (0.5 + jitter / 2))
    }
}
