import Base
import Support
import Synchronization
import Testing

@Suite("An alarm", .timeLimit(.minutes(1)))
struct AlarmTests {
    private let time = TestTime()
    private let calls = Calls()

    private final class Calls: Sendable {
        let instants = Mutex<[Instant]>([])
        var count: Int { instants.withLock(\.count) }
    }

    private func set(_ alarm: Alarm, after seconds: Int) {
        alarm.set(for: time.now + .seconds(seconds)) { [time, calls] in calls.instants.withLock { $0.append(time.now) }
        }
    }

    @Test("goes off at the soonest instant that it was set for, and once")
    func soonest() async throws {
        let (alarm, start) = (Alarm(time), time.now)
        set(alarm, after: 20)
        set(alarm, after: 5)
        set(alarm, after: 7)
        await time.sleepers(2)
        time.advance(by: .seconds(5))
        try await eventually { calls.count == 1 }
        // Only the last one may be set anew.
        set(alarm, after: 1)
        await time.sleepers(2)
        time.advance(by: .seconds(1))
        try await eventually { calls.count == 2 }
        #expect(calls.instants.withLock(\.self) == [start + .seconds(5), start + .seconds(6)])
    }

    @Test("is not set for no instant")
    func never() async throws {
        let alarm = Alarm(time)
        alarm.set(for: nil) { Issue.record("it went off") }
        set(alarm, after: 1)
        await time.sleepers(1)
        time.advance(by: .seconds(1))
        try await eventually { calls.count == 1 }
    }
}
