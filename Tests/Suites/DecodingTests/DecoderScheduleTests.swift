import Base
import Media
import Testing

@testable import Decoding

struct DecoderScheduleTests {
    private let now = Instant(sinceOrigin: .zero)

    @Test("the earliest deadline comes first, and equal deadlines are served in order of arrival")
    func order() {
        var schedule = DecoderSchedule(slots: 1, byteLimit: 100)
        for (id, deadline) in [(1, 30), (2, 10), (3, 20), (4, 10)] { schedule.wait(claim(id, deadline)) }
        var order: [Int] = []
        while let next = schedule.grant(processes: 0, at: now).first {
            order.append(next.id)
            schedule.end(next.id)
        }
        #expect(order == [2, 4, 3, 1])
    }

    @Test("tenants take turns: the first picture of one does not wait for all the more urgent ones of another")
    func tenants() {
        var schedule = DecoderSchedule(slots: 1, byteLimit: 100)
        func wait(_ id: Int, _ deadline: Int, _ tenant: String) {
            var claim = claim(id, deadline)
            (claim.tenant, claim.needsProcess) = (tenant, true)
            schedule.wait(claim)
        }
        for id in 1...30 { wait(id, id, "campaign") }
        var order: [Int] = []
        func grant() {
            for next in schedule.grant(processes: 1, at: now) {
                order.append(next.id)
                schedule.end(next.id)
            }
        }
        for _ in 1...20 { grant() }
        #expect(order == Array(1...20))
        wait(100, 100, "chat")
        wait(101, 101, "chat")
        for _ in 1...5 { grant() }
        #expect(order.dropFirst(20) == [100, 21, 101, 22, 23])
    }

    @Test("at most as many jobs compute as there are slots, and a job that waits for bytes frees its slot")
    func slots() {
        var schedule = DecoderSchedule(slots: 2, byteLimit: 100)
        for id in 1...4 { schedule.wait(claim(id, id)) }
        let first = schedule.grant(processes: 0, at: now).map(\.id)
        #expect(first == [1, 2])
        let second = schedule.grant(processes: 0, at: now)
        #expect(second.isEmpty)
        schedule.pause(1, at: now)
        let third = schedule.grant(processes: 0, at: now).map(\.id)
        #expect(third == [3])
        schedule.wait(claim(1, 1))
        schedule.end(2)
        // It resumes before the job that has not begun, because its deadline is earlier.
        let fourth = schedule.grant(processes: 0, at: now).map(\.id)
        #expect(fourth == [1])
        #expect(schedule.runningCount == 2)
        #expect(schedule.waitingCount == 1)
    }

    @Test("clips leave a slot to pictures", arguments: [(1, 1), (2, 1), (4, 3), (8, 6), (16, 12)])
    func clips(slots: Int, clips: Int) {
        var schedule = DecoderSchedule(slots: slots, byteLimit: 100)
        for id in 1...20 { schedule.wait(claim(id, id, isClip: true)) }
        schedule.wait(claim(21, 100))
        let granted = schedule.grant(processes: 0, at: now)
        #expect(granted.count(where: \.isClip) == clips)
        #expect(granted.contains { $0.id == 21 } == (slots > clips))
    }

    @Test("memory is shared: smaller claims may overtake one that does not fit, which comes next")
    func memory() {
        var schedule = DecoderSchedule(slots: 10, byteLimit: 100)
        schedule.wait(claim(1, 1, byteCount: 60))
        schedule.wait(claim(2, 2, byteCount: 50))
        schedule.wait(claim(3, 3, byteCount: 10))
        let first = schedule.grant(processes: 0, at: now).map(\.id)
        #expect(first == [1, 3])
        // The job keeps its memory while it waits for bytes.
        schedule.pause(1, at: now)
        let second = schedule.grant(processes: 0, at: now)
        #expect(second.isEmpty)
        schedule.end(1)
        let third = schedule.grant(processes: 0, at: now).map(\.id)
        #expect(third == [2])
        #expect(schedule.heldBytes == 60)
    }

    @Test("after a few overtakes memory is kept for the large claim, except a reserve for small claims")
    func passes() {
        var schedule = DecoderSchedule(slots: 100, byteLimit: 1000)
        schedule.wait(claim(1, 1, byteCount: 600))
        _ = schedule.grant(processes: 0, at: now)
        schedule.wait(claim(2, 2, byteCount: 700))
        for id in 3..<20 { schedule.wait(claim(id, id, byteCount: 20)) }
        schedule.wait(claim(20, 20, byteCount: 200))
        let passing = schedule.grant(processes: 0, at: now).map(\.id)
        // Eight overtake it; the others are small, and are served up to the reserve of 250.
        #expect(passing == Array(3..<15))
        schedule.end(1)
        let next = schedule.grant(processes: 0, at: now).map(\.id)
        #expect(next.first == 2)
    }

    @Test("the memory of a waiting job goes to another that needs it, after a delay")
    func idle() {
        var schedule = DecoderSchedule(slots: 10, byteLimit: 100)
        for id in 1...3 { schedule.wait(claim(id, id, byteCount: 30)) }
        _ = schedule.grant(processes: 0, at: now)
        schedule.pause(1, at: now)
        schedule.pause(2, at: now + .milliseconds(10))
        schedule.wait(claim(4, 4, byteCount: 40))
        let early = schedule.grant(processes: 0, at: now + .milliseconds(499))
        #expect(early.isEmpty)
        #expect(schedule.nextChange(after: now + .milliseconds(499)) == now + .milliseconds(500))
        let late = schedule.grant(processes: 0, at: now + .milliseconds(600)).map(\.id)
        #expect(late == [4])
        // Takes from the job that has waited longest, and only as much as is needed.
        let evictions = schedule.takeEvictions()
        #expect(evictions == [1: .idle])
        #expect(schedule.heldBytes == 100)
    }

    /// Returns a schedule of 100 bytes with jobs that have 10 bytes each, and wait until each has `byteCount`.
    private func schedule(ofWaiters count: Int, needing byteCount: Int) -> DecoderSchedule {
        var schedule = DecoderSchedule(slots: count, byteLimit: 100)
        for id in 1...count { schedule.wait(claim(id, id, byteCount: 10)) }
        _ = schedule.grant(processes: 0, at: now)
        for id in 1...count {
            schedule.pause(id, at: now)
            schedule.wait(claim(id, id, byteCount: byteCount))
        }
        return schedule
    }

    @Test("jobs that wait for more memory are evicted for the most urgent one, and one more for a small one")
    func greedyWaiters() {
        var schedule = schedule(ofWaiters: 10, needing: 70)
        schedule.wait(claim(11, 11, byteCount: 10))
        let granted = schedule.grant(processes: 0, at: now + .seconds(1)).map(\.id)
        #expect(granted == [1, 11])
        #expect(Set(schedule.takeEvictions().keys) == [2, 3, 4, 5, 6, 7, 9])
        #expect(schedule.heldBytes == 100)
    }

    @Test("of two jobs that both hold what the other one needs, the most urgent goes on")
    func mutualWaiters() {
        var schedule = schedule(ofWaiters: 2, needing: 95)
        let early = schedule.grant(processes: 0, at: now + .milliseconds(499))
        #expect(early.isEmpty)
        #expect(schedule.nextChange(after: now + .milliseconds(499)) == now + .milliseconds(500))
        let granted = schedule.grant(processes: 0, at: now + .milliseconds(500)).map(\.id)
        #expect(granted == [1])
        #expect(schedule.takeEvictions() == [2: .idle])
    }

    @Test(
        "a job that holds most of the memory and computes past its turn is evicted for small claims only",
        arguments: [
            (50, 10, false), (100, 10, true), (100, 13, false), (80, 12, false), (95, 12, true), (12, 100, false),
        ]
    )
    func largeHolder(held: Int, wanted: Int, isEvicted: Bool) {
        var schedule = DecoderSchedule(slots: 2, byteLimit: 100)
        schedule.wait(claim(1, 1, byteCount: held))
        _ = schedule.grant(processes: 0, at: now)
        schedule.wait(claim(2, 2, byteCount: wanted))
        let fits = held + wanted <= 100
        #expect(schedule.grant(processes: 0, at: now + .milliseconds(999)).isEmpty == !fits)
        if !fits { #expect(schedule.nextChange(after: now + .milliseconds(999)) == now + .seconds(1)) }
        let granted = schedule.grant(processes: 0, at: now + .seconds(1)).map(\.id)
        #expect(granted == (isEvicted ? [2] : []))
        #expect(schedule.takeEvictions() == (isEvicted ? [1: .endless] : [:]))
    }

    @Test("a picture that computes too long frees its slot and goes on; of too many, the longest ends")
    func turns() {
        var schedule = DecoderSchedule(slots: 1, byteLimit: 100)
        schedule.wait(claim(1, 9))
        let first = schedule.grant(processes: 0, at: now).map(\.id)
        #expect(first == [1])
        for id in 2...4 {
            schedule.wait(claim(id, 10 - id))
            let early = schedule.grant(processes: 0, at: now + .milliseconds(1000 * id - 1001))
            #expect(early.isEmpty)
            let granted = schedule.grant(processes: 0, at: now + .milliseconds(1000 * id - 1000)).map(\.id)
            #expect(granted == [id])
        }
        #expect(schedule.takeEvictions() == [1: .endless])
        #expect(schedule.runningCount == 3)
    }

    @Test(
        "in any order of events, memory is never overcommitted, large claims get their turn, and nothing leaks",
        arguments: UInt64(1)...40
    )
    func anything(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var schedule = DecoderSchedule(slots: 4, byteLimit: 1000)
        var (time, running, paused, nextID) = (now, Set<Int>(), [Int: Int](), 1)
        var (larges, passes) = (Set<Int>(), 0)
        func settle() {
            let granted = schedule.grant(processes: 4, at: time)
            for id in schedule.takeEvictions().keys {
                running.remove(id)
                paused[id] = nil
                larges.remove(id)
            }
            for claim in granted {
                running.insert(claim.id)
                if claim.byteCount >= 600 {
                    larges.remove(claim.id)
                    passes = 0
                } else if !larges.isEmpty, claim.byteCount > 125 {
                    // A claim that is not small overtook the most urgent large one.
                    passes += 1
                }
            }
            #expect(schedule.heldBytes <= 1000)
            #expect(schedule.runningCount <= 4 * 3)
            #expect(passes <= 8)
        }
        for step in 0..<400 {
            time = time + .milliseconds(Int.random(in: 0...300, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                // Later claims are less urgent; large ones are as urgent as the first.
                let isLarge = larges.isEmpty && Int.random(in: 0..<10, using: &random) == 0
                let bytes =
                    isLarge ? Int.random(in: 600...750, using: &random) : Int.random(in: 1...300, using: &random)
                if isLarge { larges.insert(nextID) }
                schedule.wait(claim(nextID, isLarge ? 0 : step, byteCount: bytes, needsProcess: true))
                nextID += 1
            case 2, 3:
                if let id = running.randomElement(using: &random) {
                    schedule.end(id)
                    running.remove(id)
                }
            case 4:
                if let id = running.randomElement(using: &random) {
                    schedule.pause(id, at: time)
                    running.remove(id)
                    paused[id] = step
                }
            default:
                if let (id, deadline) = paused.randomElement(using: &random) {
                    paused[id] = nil
                    schedule.wait(claim(id, deadline, byteCount: 50))
                }
            }
            settle()
        }
        // Then all jobs end, one after the other.
        for id in paused.keys { schedule.end(id) }
        settle()
        while let id = running.first {
            schedule.end(id)
            running.remove(id)
            time = time + .seconds(1)
            settle()
        }
        #expect(larges.isEmpty)
        #expect(schedule.heldBytes == 0 && schedule.runningCount == 0 && schedule.waitingCount == 0)
    }

    @Test("a job that asks for more memory gets the new amount in place of the old one")
    func growth() {
        var schedule = DecoderSchedule(slots: 2, byteLimit: 100)
        schedule.wait(claim(1, 1, byteCount: 30))
        _ = schedule.grant(processes: 0, at: now)
        schedule.pause(1, at: now)
        schedule.wait(claim(1, 1, byteCount: 100))
        let granted = schedule.grant(processes: 0, at: now).map(\.id)
        #expect(granted == [1])
        #expect(schedule.heldBytes == 100)
        #expect(!schedule.couldHold(101))
    }

    @Test("a job needs a process to begin, and none to go on")
    func processes() {
        var schedule = DecoderSchedule(slots: 3, byteLimit: 100)
        schedule.wait(claim(1, 1, needsProcess: true))
        schedule.wait(claim(2, 2, needsProcess: true))
        schedule.wait(claim(3, 3))
        let first = schedule.grant(processes: 1, at: now).map(\.id)
        #expect(first == [1, 3])
        #expect(schedule.isWaitedForByBeginners)
        let second = schedule.dismissBeginners()
        #expect(second == [2])
        #expect(schedule.waitingCount == 0)
    }

    @Test("a job that stopped waiting is not served")
    func stopped() {
        var schedule = DecoderSchedule(slots: 1, byteLimit: 100)
        schedule.wait(claim(1, 1))
        let first = schedule.stopWaiting(1)
        #expect(first)
        let second = schedule.stopWaiting(1)
        #expect(!second)
        let third = schedule.grant(processes: 0, at: now)
        #expect(third.isEmpty)
    }

    @Test("a job whose deadline changes while it waits moves in the order")
    func moving() {
        var schedule = DecoderSchedule(slots: 1, byteLimit: 100)
        for (id, deadline) in [(1, 10), (2, 20), (3, 30)] { schedule.wait(claim(id, deadline)) }
        schedule.move(3, to: Instant(sinceOrigin: .seconds(5)))
        schedule.move(1, to: Instant(sinceOrigin: .seconds(25)))
        // A job that doesn't wait stays as it is.
        schedule.move(4, to: Instant(sinceOrigin: .seconds(1)))
        var order: [Int] = []
        while let next = schedule.grant(processes: 0, at: now).first {
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
    ) -> DecoderSchedule.Claim {
        DecoderSchedule.Claim(
            id: id,
            deadline: Instant(sinceOrigin: .seconds(deadline)),
            isClip: isClip,
            byteCount: byteCount,
            needsProcess: needsProcess,
        )
    }
}
