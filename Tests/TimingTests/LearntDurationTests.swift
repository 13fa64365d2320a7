import Testing
import Timing

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
}
