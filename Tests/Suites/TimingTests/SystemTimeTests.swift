import Support
import Testing

@testable import Base

@Suite("The system's time", .timeLimit(.minutes(10)))
struct SystemTimeTests {
    let time = SystemTime()

    @Test("a sleep ends no earlier than its time, and one in the past at once")
    func sleeps() async throws {
        let instant = time.now + .milliseconds(20)
        try await time.sleep(until: instant)
        #expect(time.now >= instant)
        try await time.sleep(until: time.now - .seconds(5))
    }

    @Test("the clock knows by how much sleeps end late, and those in the past only from their beginning on")
    func lateness() async throws {
        let (alarms, begin) = (Alarms(), time.now)
        #expect(alarms.lateness == .zero)
        try await alarms.sleep(until: begin - .seconds(5))
        #expect(alarms.lateness <= time.now - begin)
        let end = time.now + .milliseconds(20)
        try await alarms.sleep(until: end)
        #expect(alarms.lateness > .zero && alarms.lateness <= max(time.now - end, end - begin))
        let sleeper = Task { [time] in try await alarms.sleep(until: time.now + .seconds(3600)) }
        sleeper.cancel()
        _ = await sleeper.result
        #expect(alarms.lateness < .seconds(3600))
    }

    @Test("a later sleep with an earlier time wakes first")
    func soonest() async throws {
        let late = Task { [time] in try await time.sleep(for: .seconds(3600)) }
        try await time.sleep(for: .milliseconds(20))
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
    }

    @Test("a cancelled sleep ends at once and leaves nothing behind", arguments: [true, false])
    func cancelled(waitsFirst: Bool) async throws {
        // Uses its own timers, so that no other test sleeps on them.
        let alarms = Alarms()
        let sleepers = (0..<100).map { _ in
            Task { [time] in try await alarms.sleep(until: time.now + .seconds(3600)) }
        }
        if waitsFirst { try await eventually { alarms.sleeperCount == 100 } }
        for sleeper in sleepers { sleeper.cancel() }
        for sleeper in sleepers {
            await #expect(throws: CancellationError.self) { try await sleeper.value }
        }
        #expect(alarms.sleeperCount == 0)
    }
}
