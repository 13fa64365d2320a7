import Base
import Media
import Testing

@testable import Downloads
@testable import HTTPClient

@Suite("The stall rule")
struct StallWatchTests {
    private func instant(_ milliseconds: Int) -> Instant { Instant(sinceOrigin: .milliseconds(milliseconds)) }

    private func isStalled(_ watch: inout StallWatch, received: Int, at milliseconds: Int) -> Bool {
        watch.isStalled(received: received, now: instant(milliseconds))
    }

    @Test("an origin is given up when its window ends with too few bytes")
    func stalled() {
        var watch = StallWatch(StallRule(byteCount: 10, window: .milliseconds(100)), now: instant(0))
        #expect(isStalled(&watch, received: 9, at: 99) == false)
        #expect(watch.due == instant(100))
        #expect(isStalled(&watch, received: 9, at: 100) == true)
    }

    @Test("enough bytes start a new window")
    func alive() {
        var watch = StallWatch(StallRule(byteCount: 10, window: .milliseconds(100)), now: instant(0))
        #expect(isStalled(&watch, received: 10, at: 90) == false)
        #expect(watch.due == instant(190))
        #expect(isStalled(&watch, received: 19, at: 189) == false)
        #expect(isStalled(&watch, received: 19, at: 190) == true)
    }

    @Test("bytes that came late, and were seen after the window, still count")
    func late() {
        var watch = StallWatch(StallRule(window: .milliseconds(100)), now: instant(0))
        #expect(isStalled(&watch, received: 1, at: 500) == false)
        #expect(watch.due == instant(600))
    }
}
