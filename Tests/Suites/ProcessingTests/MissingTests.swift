import Base
import Media
import Processing
import Support
import Synchronization
import Testing

@Suite("A picture that its origin does not have yet", .timeLimit(.minutes(10)))
struct MissingTests {
    /// A slot of one notification, and the changes of it.
    private final class Slot: Sendable {
        private let changes = Mutex<[String]>([])
        private let mayWait: Bool

        init(mayWait: Bool = true) { self.mayWait = mayWait }

        var log: [String] { changes.withLock(\.self) }

        var slot: WorkSlot {
            WorkSlot {
                self.changes.withLock { $0.append("lent") }
                return self.mayWait
            } reclaim: {
                self.changes.withLock { $0.append("reclaimed") }
            }
        }
    }

    private let time = TestTime()

    private func send(_ notifications: Notifications, with slot: Slot, due: Duration = .seconds(20)) throws
        -> Task<ProcessingResult, Never>
    {
        try WorkSlot.$current.withValue(slot.slot) { try notifications.send(due: due) }
    }

    @Test("is awaited once for all notifications, each of which lends its slot meanwhile")
    func lent() async throws {
        let there = Signal()
        let steps = ScriptedSteps(time, .init(missing: there))
        let notifications = Notifications(time, steps)
        let slots = [Slot(), Slot(), Slot()]
        var tasks = [try send(notifications, with: slots[0])]
        try await eventually { slots[0].log == ["lent"] }
        tasks.append(try send(notifications, with: slots[1]))
        tasks.append(try send(notifications, with: slots[2]))
        try await eventually { slots.allSatisfy { $0.log == ["lent"] } }
        there.send()
        for task in tasks { #expect(await task.value.outcome == .complete) }
        #expect(slots.allSatisfy { $0.log == ["lent", "reclaimed"] })
        #expect(steps.downloads.count == 1)
    }

    @Test("is a failure at once for a notification that may not wait, and for no other")
    func refused() async throws {
        let there = Signal()
        let steps = ScriptedSteps(time, .init(missing: there))
        let notifications = Notifications(time, steps)
        let patient = try send(notifications, with: Slot())
        try await notifications.until(begun: 1)
        let refused = await (try send(notifications, with: Slot(mayWait: false))).value
        #expect(refused.outcome == .original && refused.failures.map(\.failure.reason) == [.httpStatus])
        there.send()
        #expect(await patient.value.outcome == .complete)
        #expect(steps.downloads.count == 1)
    }

    @Test("is not awaited if nobody may wait; the next notification asks anew")
    func nobody() async throws {
        let steps = ScriptedSteps(time, .init(missing: Signal()), .init())
        let notifications = Notifications(time, steps)
        let refused = await (try send(notifications, with: Slot(mayWait: false))).value
        #expect(refused.outcome == .original && refused.failures.map(\.failure.reason) == [.httpStatus])
        #expect(await (try send(notifications, with: Slot())).value.outcome == .complete)
        #expect(steps.downloads.count == 2)
    }

    @Test("is the reason of a notification whose deadline comes first")
    func late() async throws {
        let there = Signal()
        let steps = ScriptedSteps(time, .init(missing: there))
        let notifications = Notifications(time, steps)
        let (first, second) = (Slot(), Slot())
        let hasty = try send(notifications, with: first, due: .seconds(2))
        try await eventually { first.log == ["lent"] }
        let patient = try send(notifications, with: second)
        try await eventually { second.log == ["lent"] }
        await time.sleeper(until: time.start + .milliseconds(1850))
        time.advance(by: .milliseconds(1850))
        let result = await hasty.value
        #expect(result.outcome == .original && result.failures.map(\.failure.reason) == [.httpStatus])
        #expect(first.log == ["lent", "reclaimed"])
        there.send()
        #expect(await patient.value.outcome == .complete)
    }

    @Test("lends a notification's slot once, however many of its attachments wait")
    func several() {
        let slot = Slot()
        let work = slot.slot
        #expect(work.wait() && work.wait())
        work.goOn()
        #expect(slot.log == ["lent"] && work.wasLent)
        work.goOn()
        work.goOn()
        #expect(slot.log == ["lent", "reclaimed"])
        #expect(work.wait())
        work.end()
        work.goOn()
        #expect(slot.log == ["lent", "reclaimed", "lent", "reclaimed"])
    }
}
