import Base
import Media
import Processing
import Support
import Testing

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
        stopwatch.finishWaiting(at: last)
        stopwatch.finish(.decode)
        #expect(stopwatch.durations[.download] == .seconds(1) && stopwatch.durations[.decode] == .seconds(3))
    }

    @Test(
        "the wait for a decoder process is what is left of it after the download",
        arguments: [
            (started: 3, wait: 2, decode: 4), (started: 0, wait: 0, decode: 6), (started: nil, wait: 6, decode: 0),
        ]
    )
    func waiting(started: Int?, wait: Int, decode: Int) {
        let stopwatch = Stopwatch(time: time, start: time.now)
        let start = time.now
        stopwatch.finish(.queue)
        if started == 0 { stopwatch.finishWaiting(at: start) }
        time.advance(by: .seconds(1))
        stopwatch.finish(.download)
        time.advance(by: .seconds(6))
        if let started { stopwatch.finishWaiting(at: start + .seconds(started)) }
        stopwatch.finish(.decode)
        #expect(stopwatch.durations[.download] == .seconds(1))
        #expect(stopwatch.durations[.wait] == .seconds(wait) && stopwatch.durations[.decode] == .seconds(decode))
    }

    @Test("an attachment whose decoder began does not end the download of another")
    func several() {
        let stopwatch = Stopwatch(time: time, start: time.now)
        stopwatch.finish(.queue)
        stopwatch.finish(.download)
        stopwatch.finishWaiting(at: time.now)
        time.advance(by: .seconds(2))
        stopwatch.finish(.download)
        stopwatch.finish(.decode)
        #expect(stopwatch.durations[.download] == .seconds(2) && stopwatch.durations[.wait] == .zero)
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
        #expect(Stopwatch.Stage.allCases.map { stopwatch.durations[$0] }.reduce(.zero, +) == .seconds(5))
    }
}
