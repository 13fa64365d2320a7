import Media
import Processing
import Support
import Testing
import Timing

@Suite("The duration of each stage")
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

    @Test("a download that ended before its report lasted until its last byte")
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

    @Test("an abandoned download took all of the time, and its later reports are dropped")
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
