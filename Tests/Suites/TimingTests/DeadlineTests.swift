import Base
import Media
import Support
import Synchronization
import Testing

@Suite("A deadline that moves while work is in progress", .timeLimit(.minutes(10)))
struct DeadlineTests {
    let time = TestTime()

    private func at(_ seconds: Int) -> Instant { Instant(sinceOrigin: .seconds(seconds)) }

    @Test("the latest deadline only moves later, and the earliest is that of the current waiters")
    func moves() {
        let deadline = Deadline(at(10))
        deadline.move(soonest: at(5), latest: at(20))
        #expect(deadline.soonest == at(5) && deadline.latest == at(20))
        deadline.move(soonest: at(12), latest: at(12))
        #expect(deadline.soonest == at(12) && deadline.latest == at(20))
    }

    @Test("followers are told when the earliest deadline changes")
    func tells() {
        let deadline = Deadline(at(10))
        let seen = Mutex<[Instant]>([])
        deadline.onMove { seen.withLock { $0.append(deadline.soonest) } }
        deadline.move(soonest: at(5), latest: at(10))
        deadline.move(soonest: at(5), latest: at(30))
        deadline.move(soonest: at(7), latest: at(30))
        deadline.onMove(nil)
        deadline.move(soonest: at(8), latest: at(30))
        #expect(seen.withLock { $0 } == [at(5), at(7)])
    }

    @Test("a wait continues when the deadline has moved, with the same lead time")
    func waits() async throws {
        let deadline = Deadline(at(10))
        let waiter = Task { [time] in try await deadline.wait(on: time, until: { $0 - .seconds(1) }) }
        await time.sleeper(until: at(9))
        deadline.move(soonest: at(10), latest: at(20))
        time.advance(by: .seconds(9))
        await time.sleeper(until: at(19))
        #expect(deadline.lastCutback == nil)
        deadline.recordCutback()
        #expect(deadline.lastCutback == at(20))
        time.advance(by: .seconds(10))
        try await waiter.value
    }
}
