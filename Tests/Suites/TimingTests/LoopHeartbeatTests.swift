import Base
import Media
import Support
import Synchronization
import Testing

@Suite("Heartbeats of a loop", .timeLimit(.minutes(10)))
struct LoopHeartbeatTests {
    /// A loop that answers when the test tells it to.
    private final class Loop: Sendable {
        let answers = Mutex<[@Sendable () -> Void]>([])

        func turn() {
            for answer in answers.withLock({ $0 }) { answer() }
            answers.withLock { $0 = [] }
        }
    }

    let time = TestTime()
    let group = LoopHeartbeats()
    private let loop = Loop()

    private func heartbeat(_ name: String) -> LoopHeartbeat {
        LoopHeartbeat(name, time: time, in: group) { [loop] answer in loop.answers.withLock { $0.append(answer) } }
    }

    @Test("a loop that doesn't answer for two seconds is reported as stalled, until it answers")
    func standstill() {
        let heartbeat = heartbeat("one")
        group.beat()
        time.advance(by: .milliseconds(1999))
        #expect(group.stalledNames == [] && group.standstills == ["one": .zero])
        group.beat()
        time.advance(by: .milliseconds(1))
        #expect(group.stalledNames == ["one"] && heartbeat.standstill == .seconds(2))
        time.advance(by: .seconds(40))
        #expect(group.standstills == ["one": .milliseconds(42_000)])
        // The loop was asked once: a stalled loop gets no more work from the monitor.
        #expect(loop.answers.withLock(\.count) == 1)
        loop.turn()
        #expect(group.stalledNames == [])
    }

    @Test("of several loops with one name the worst counts; one that has ended doesn't")
    func several() {
        let first = heartbeat("downloads")
        var second: LoopHeartbeat? = heartbeat("downloads")
        second?.beat()
        time.advance(by: .seconds(3))
        #expect(group.standstills == ["downloads": .seconds(3)])
        second = nil
        #expect(group.standstills == ["downloads": .zero] && first.standstill == nil)
    }

    @Test("the timers of this process respond")
    func timers() async {
        let answered = Signal()
        let heartbeat = LoopHeartbeat("timers", in: group) { answer in
            LoopHeartbeats.askTimers {
                answer()
                answered.send()
            }
        }
        heartbeat.beat()
        await answered.wait()
        #expect(heartbeat.standstill == nil)
    }
}
