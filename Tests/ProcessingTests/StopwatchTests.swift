import Media
import Processing
import Support
import Testing
import Timing

@Suite("Where the time went")
struct StopwatchTests {
    let time = TestTime()

    @Test("each stage lasts from the end of the one before it")
    func stages() {
        let stopwatch = Stopwatch(time: time, start: time.now)
        for stage in Stopwatch.Stage.allCases {
            time.advance(by: .milliseconds(10))
            stopwatch.finish(stage)
        }
        #expect(Stopwatch.Stage.allCases.allSatisfy { stopwatch.durations[$0] == .milliseconds(10) })
    }

    @Test("a download that was over before anybody said so lasted until its last byte")
    func earlier() {
        let stopwatch = Stopwatch(time: time, start: time.now)
        stopwatch.finish(.queue)
        time.advance(by: .seconds(1))
        let last = time.now
        time.advance(by: .seconds(3))
        stopwatch.finish(.download, at: last)
        stopwatch.finish(.decode)
        #expect(stopwatch.durations[.download] == .seconds(1) && stopwatch.durations[.decode] == .seconds(3))
    }

    @Test("a download that is left behind took all of the time, and what it says afterwards is dropped")
    func leftBehind() {
        let stopwatch = Stopwatch(time: time, start: time.now)
        stopwatch.finish(.queue)
        time.advance(by: .seconds(5))
        stopwatch.finish(.decode)
        stopwatch.finish(.store)
        time.advance(by: .seconds(5))
        stopwatch.finish(.download)
        #expect(stopwatch.durations[.download] == .seconds(5) && stopwatch.durations[.decode] == .zero)
        #expect(stopwatch.durations.values.reduce(.zero, +) == .seconds(5))
    }
}
