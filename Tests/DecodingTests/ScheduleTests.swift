import Media
import Testing

@testable import Decoding

struct ScheduleTests {
    @Test("the earliest deadline comes first, and among equals who came first")
    func order() {
        var schedule = Schedule(places: 1, byteLimit: 100)
        for (id, deadline) in [(1, 30), (2, 10), (3, 20), (4, 10)] { schedule.wait(claim(id, deadline)) }
        var order: [Int] = []
        while let next = schedule.grant(processes: 0).first {
            order.append(next.id)
            schedule.end(next.id)
        }
        #expect(order == [2, 4, 3, 1])
    }

    @Test("no more compute than there are places, and a job that waits for bytes lets another in")
    func places() {
        var schedule = Schedule(places: 2, byteLimit: 100)
        for id in 1...4 { schedule.wait(claim(id, id)) }
        let first = schedule.grant(processes: 0).map(\.id)
        #expect(first == [1, 2])
        let second = schedule.grant(processes: 0)
        #expect(second.isEmpty)
        schedule.pause(1)
        let third = schedule.grant(processes: 0).map(\.id)
        #expect(third == [3])
        schedule.wait(claim(1, 1))
        schedule.end(2)
        // It comes back before the one that never began, because its deadline is nearer.
        let fourth = schedule.grant(processes: 0).map(\.id)
        #expect(fourth == [1])
        #expect(schedule.runningCount == 2)
        #expect(schedule.waitingCount == 1)
    }

    @Test("clips leave a place to pictures", arguments: [(1, 1), (2, 1), (4, 3), (8, 6), (16, 12)])
    func clips(places: Int, clips: Int) {
        var schedule = Schedule(places: places, byteLimit: 100)
        for id in 1...20 { schedule.wait(claim(id, id, isClip: true)) }
        schedule.wait(claim(21, 100))
        let granted = schedule.grant(processes: 0)
        #expect(granted.count(where: \.isClip) == clips)
        #expect(granted.contains { $0.id == 21 } == (places > clips))
    }

    @Test("memory is shared out: the most urgent one waits for it, and nobody takes it from it")
    func memory() {
        var schedule = Schedule(places: 10, byteLimit: 100)
        schedule.wait(claim(1, 1, byteCount: 60))
        schedule.wait(claim(2, 2, byteCount: 50))
        schedule.wait(claim(3, 3, byteCount: 10))
        let first = schedule.grant(processes: 0).map(\.id)
        #expect(first == [1])
        // It keeps its memory while it waits for bytes.
        schedule.pause(1)
        let second = schedule.grant(processes: 0)
        #expect(second.isEmpty)
        schedule.end(1)
        let third = schedule.grant(processes: 0).map(\.id)
        #expect(third == [2, 3])
        #expect(schedule.heldBytes == 60)
    }

    @Test("a job that asks for more memory has what it asked for instead of what it had")
    func growth() {
        var schedule = Schedule(places: 2, byteLimit: 100)
        schedule.wait(claim(1, 1, byteCount: 30))
        _ = schedule.grant(processes: 0)
        schedule.pause(1)
        schedule.wait(claim(1, 1, byteCount: 100))
        let granted = schedule.grant(processes: 0).map(\.id)
        #expect(granted == [1])
        #expect(schedule.heldBytes == 100)
        #expect(!schedule.couldHold(101))
    }

    @Test("a job that begins needs a process; one that goes on needn't wait for it")
    func processes() {
        var schedule = Schedule(places: 3, byteLimit: 100)
        schedule.wait(claim(1, 1, needsProcess: true))
        schedule.wait(claim(2, 2, needsProcess: true))
        schedule.wait(claim(3, 3))
        let first = schedule.grant(processes: 1).map(\.id)
        #expect(first == [1, 3])
        #expect(schedule.isWaitedForByBeginners)
        let second = schedule.dismissBeginners()
        #expect(second == [2])
        #expect(schedule.waitingCount == 0)
    }

    @Test("who waits no longer is not served")
    func stopped() {
        var schedule = Schedule(places: 1, byteLimit: 100)
        schedule.wait(claim(1, 1))
        let first = schedule.stopWaiting(1)
        #expect(first)
        let second = schedule.stopWaiting(1)
        #expect(!second)
        let third = schedule.grant(processes: 0)
        #expect(third.isEmpty)
    }

    @Test("a job that becomes more or less urgent while it waits takes its new place")
    func moving() {
        var schedule = Schedule(places: 1, byteLimit: 100)
        for (id, deadline) in [(1, 10), (2, 20), (3, 30)] { schedule.wait(claim(id, deadline)) }
        schedule.move(3, to: Instant(sinceOrigin: .seconds(5)))
        schedule.move(1, to: Instant(sinceOrigin: .seconds(25)))
        // One that doesn't wait stays as it is.
        schedule.move(4, to: Instant(sinceOrigin: .seconds(1)))
        var order: [Int] = []
        while let next = schedule.grant(processes: 0).first {
            order.append(next.id)
            schedule.end(next.id)
        }
        #expect(order == [3, 2, 1])
    }

    private func claim(
        _ id: Int,
        _ deadline: Int,
        isClip: Bool = false,
        byteCount: Int = 0,
        needsProcess: Bool = false,
    ) -> Schedule.Claim {
        Schedule.Claim(
            id: id,
            deadline: Instant(sinceOrigin: .seconds(deadline)),
            isClip: isClip,
            byteCount: byteCount,
            needsProcess: needsProcess,
        )
    }
}
