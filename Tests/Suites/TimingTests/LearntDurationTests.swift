import Base
import Testing

@Suite("Learnt durations")
struct LearntDurationTests {
    @Test("a constant duration is learnt exactly, and an exception moves it a little")
    func learns() {
        var time = LearntDuration(.seconds(1))
        #expect(time.nearlyAlways == .seconds(2))
        for _ in 0..<100 { time.learn(.milliseconds(80)) }
        #expect(abs(time.typical.milliseconds - 80) <= 1 && abs(time.nearlyAlways.milliseconds - 80) <= 1)
        time.learn(.milliseconds(880))
        #expect(abs(time.typical.milliseconds - 180) <= 1 && time.nearlyAlways < .seconds(1))
    }

    @Test("the greatest of recent durations is forgotten within about a minute, and shorter ones don't hide it")
    func recent() {
        let start = Instant(sinceOrigin: .seconds(100))
        var recent = RecentMaximum()
        #expect(recent.value(at: start) == .zero)
        recent.learn(.milliseconds(800), at: start)
        #expect(recent.value(at: start) == .milliseconds(800))
        recent.learn(.milliseconds(5), at: start + .seconds(10))
        #expect(recent.value(at: start + .seconds(10)).milliseconds == 400)
        // Two threads may learn in another order than that of their clocks.
        recent.learn(.milliseconds(300), at: start + .seconds(9))
        #expect(recent.value(at: start + .seconds(19)).milliseconds == 200)
        recent.learn(.milliseconds(700), at: start + .seconds(20))
        #expect(recent.value(at: start + .seconds(20)).milliseconds == 700)
        #expect(recent.value(at: start + .seconds(90)).milliseconds < 10)
        #expect(recent.value(at: start + .seconds(1_000_000)) == .zero)
    }
}
