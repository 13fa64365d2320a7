import Base
import Media
import Payloads
import Processing
import Support
import Testing

@Suite("Identical jobs in flight", .timeLimit(.minutes(10)))
struct JoiningTests {
    typealias Script = ScriptedSteps.Script
    let time = TestTime()

    @Test("are done once: one download, one decoding, one file, and a URL for each")
    func joined() async throws {
        let body = Signal()
        let steps = ScriptedSteps(time, Script(body: body))
        let notifications = Notifications(time, steps)
        var tasks = [try notifications.send()]
        try await notifications.until(begun: 1)
        for _ in 1..<50 { tasks.append(try notifications.send()) }
        try await notifications.until(begun: 1, joined: 49)
        body.send()
        var results: [ProcessingResult] = []
        for task in tasks { results.append(await task.value) }
        #expect(results.allSatisfy { $0.outcome == .complete && $0.failures.isEmpty })
        #expect(steps.downloads.count == 1 && steps.rungs.count == 1 && steps.storedCount == 1)
        // The bytes were fetched for one of them.
        let fetched = results.flatMap(\.attachments).map(\.source.fetched).filter { $0 > 0 }
        #expect(fetched == [AttachmentPipelineTests.jpeg.count])
        #expect(results.flatMap(\.attachments).allSatisfy { $0.source.byteCount == AttachmentPipelineTests.jpeg.count })
    }

    @Test("are those with the same source and the same wanted result", arguments: [true, false])
    func different(otherSource: Bool) async throws {
        let body = Signal()
        let steps = ScriptedSteps(time, Script(body: body))
        let notifications = Notifications(time, steps)
        let first = try notifications.send()
        try await notifications.until(begun: 1)
        let second = otherSource ? try notifications.send("https://a/2") : try notifications.send(profile: .webpush)
        try await notifications.until(begun: 2)
        body.send()
        _ = await (first.value, second.value)
        #expect(steps.downloads.count == 2 && notifications.joinedCount == 0)
    }

    @Test("fail for all waiters, and start again for a later one")
    func failing() async throws {
        let body = Signal()
        let steps = ScriptedSteps(time, Script(body: body, failure: .connectionFailed), Script())
        let notifications = Notifications(time, steps)
        let first = try notifications.send()
        try await notifications.until(begun: 1)
        let second = try notifications.send()
        try await notifications.until(begun: 1, joined: 1)
        body.send()
        for result in await [first.value, second.value] {
            #expect(result.outcome == .original)
            #expect(result.failures.map(\.failure.reason) == [.connectionFailed])
        }
        #expect(await (try notifications.send()).value.outcome == .complete)
    }

    @Test("give the ready rungs to a waiter with less time, and the rest to the others")
    func leaving() async throws {
        let body = Signal()
        let steps = ScriptedSteps(time, Script(body: body, early: [.embeddedThumbnail]))
        let notifications = Notifications(time, steps)
        let patient = try notifications.send(due: .seconds(20))
        try await notifications.until(begun: 1)
        let hasty = try notifications.send(due: .seconds(2))
        try await notifications.until(begun: 1, joined: 1)
        await time.sleeper(until: time.start + .milliseconds(1850))
        time.advance(by: .milliseconds(1850))
        let early = await hasty.value
        #expect(early.outcome == .degraded && early.attachments.map(\.report.rung) == [.embeddedThumbnail])
        #expect(early.margin == .milliseconds(150))
        body.send()
        #expect(await patient.value.attachments.map(\.report.rung) == [.downscaled])
        #expect(steps.downloads.count == 1 && steps.cancelledCount == 0)
    }

    @Test("give an early result to a waiter with less time, while the download goes on for the others")
    func part() async throws {
        let body = Signal()
        let steps = ScriptedSteps(time, Script(body: body, rungsOfCut: [.partial]))
        let notifications = Notifications(time, steps)
        let hasty = try notifications.send(due: .seconds(4))
        try await eventually { steps.rungs.count == 1 }
        let patient = try notifications.send(due: .seconds(20))
        try await notifications.until(begun: 1, joined: 1)
        // Two deadlines, that of the source and that of the early result. A source is cut in time to decode its bytes,
        // and the first job of a format is assumed to take half a second.
        await time.sleepers(4)
        time.advance(by: .milliseconds(2850))
        try await eventually { steps.emittedCount == 1 }
        await time.sleeper(until: time.start + .milliseconds(3850))
        time.advance(by: .milliseconds(1000))
        let early = await hasty.value
        #expect(early.outcome == .degraded && early.attachments.map(\.report.rung) == [.partial])
        body.send()
        let late = await patient.value
        #expect(late.outcome == .complete && late.attachments.map(\.report.rung) == [.downscaled])
        #expect(steps.downloads.count == 1)
    }

    @Test("go on without the waiter that started them, until the latest of all deadlines")
    func firstLeaves() async throws {
        let body = Signal()
        let steps = ScriptedSteps(time, Script(body: body))
        let notifications = Notifications(time, steps)
        let first = try notifications.send(due: .seconds(2))
        try await notifications.until(begun: 1)
        let second = try notifications.send(due: .seconds(20))
        try await notifications.until(begun: 1, joined: 1)
        await time.sleeper(until: time.start + .milliseconds(1850))
        time.advance(by: .milliseconds(1850))
        #expect(await first.value.outcome == .original)
        body.send()
        #expect(await second.value.outcome == .complete)
        #expect(steps.downloads.count == 1)
    }

    @Test("end at once when the last waiter has left")
    func lastLeaves() async throws {
        let steps = ScriptedSteps(time, Script(body: Signal()), Script())
        let notifications = Notifications(time, steps)
        let tasks = [try notifications.send(due: .seconds(2)), try notifications.send(due: .seconds(1))]
        try await notifications.until(begun: 1, joined: 1)
        for (deadline, due) in [
            (time.start + .seconds(1), Duration.milliseconds(900)), (time.start + .seconds(2), .milliseconds(950)),
        ] {
            await time.sleeper(until: TimeBudget(now: time.start, deadline: deadline).expiry)
            #expect(steps.cancelledCount == 0)
            time.advance(by: due)
        }
        for task in tasks { #expect(await task.value.outcome == .original) }
        try await eventually { steps.cancelledCount == 1 }
        #expect(await (try notifications.send()).value.outcome == .complete)
        #expect(steps.downloads.count == 2)
    }

    @Test("make the rungs that were skipped for lack of time, for a waiter that has the time")
    func moreTime() async throws {
        let body = Signal()
        let hasty = Script(body: body, early: [.fast], rungs: [])
        let steps = ScriptedSteps(time, hasty, Script())
        let notifications = Notifications(time, steps, decoding: .milliseconds(500))
        let first = try notifications.send(due: .milliseconds(220))
        try await eventually { steps.rungs.count == 1 }
        #expect(!steps.rungs[0].contains(.downscaled))
        let second = try notifications.send(due: .seconds(20))
        #expect(await second.value.outcome == .complete)
        #expect(steps.rungs.count == 2 && steps.rungs[1].contains(.downscaled))
        body.send()
        #expect(await first.value.attachments.map(\.report.rung) == [.fast])
    }

    @Test("don't cut the source for a waiter that joined with more time")
    func movedDeadline() async throws {
        let body = Signal()
        let steps = ScriptedSteps(time, Script(body: body, early: [.embeddedThumbnail]))
        let notifications = Notifications(time, steps)
        let first = try notifications.send(due: .seconds(4))
        await time.sleepers(2)
        let second = try notifications.send(due: .seconds(20))
        try await notifications.until(begun: 1, joined: 1)
        await time.sleepers(3)
        // The first waiter's source would be cut now.
        time.advance(by: .milliseconds(2_900))
        await time.sleepers(3)
        time.advance(by: .milliseconds(950))
        #expect(await first.value.attachments.map(\.report.rung) == [.embeddedThumbnail])
        body.send()
        #expect(await second.value.outcome == .complete)
        #expect(steps.downloads.count == 1)
    }

    @Test("are separate if the origin says so: the first waiter keeps the result, and nothing is reused")
    func privateSource() async throws {
        let head = Signal()
        let own = SourceFreshness.Answer(isShareable: false, received: time.start)
        let steps = ScriptedSteps(time, Script(cacheControl: own, head: head))
        let notifications = Notifications(time, steps)
        var tasks = [try notifications.send()]
        try await notifications.until(begun: 1)
        for _ in 0..<3 { tasks.append(try notifications.send()) }
        try await notifications.until(begun: 1, joined: 3)
        head.send()
        for task in tasks {
            let result = await task.value
            #expect(result.outcome == .complete)
            #expect(result.attachments.map(\.source.fetched) == [AttachmentPipelineTests.jpeg.count])
        }
        #expect(steps.downloads.count == 4 && steps.storedCount == 4)
        _ = await (try notifications.send()).value
        #expect(steps.downloads.count == 5 && notifications.events.count(.reused) == 0)
    }
}
