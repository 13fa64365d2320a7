import Media
import Testing
import Timing

@Suite("Pauses between tries")
struct BackOffTests {
    @Test("each is up to twice as long as the one before, and none longer than the longest")
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

    @Test("those who failed together come back apart, none before half its step", arguments: [0, 0.25, 0.5, 1])
    func jitter(jitter: Double) {
        var backOff = BackOff()
        let pause = backOff.next(jitter: jitter)
        #expect(pause == .milliseconds(50) * (0.5 + jitter / 2))
    }
}
