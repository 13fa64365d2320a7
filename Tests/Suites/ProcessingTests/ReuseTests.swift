import Base
import Media
import Payloads
import Processing
import Support
import Testing

@Suite("Finished jobs", .timeLimit(.minutes(10)))
struct ReuseTests {
    typealias Script = ScriptedSteps.Script
    let time = TestTime()

    private func answer(_ seconds: Int?) -> SourceFreshness.Answer {
        .init(lifetime: seconds.map { .seconds($0) }, received: time.start)
    }

    private func send(_ notifications: Notifications, _ url: String = "https://a/1") async throws -> ProcessingResult {
        await (try notifications.send(url)).value
    }

    @Test(
        "are reused as long as the origin allows, or as configured if it says nothing",
        arguments: [30, nil],
        [false, true]
    )
    func fresh(lifetime: Int?, renewsAtOnce: Bool) async throws {
        let steps = ScriptedSteps(time, renewsAtOnce: renewsAtOnce, Script(cacheControl: answer(lifetime)))
        let notifications = Notifications(time, steps)
        #expect(try await send(notifications).outcome == .complete)
        time.advance(by: .milliseconds((lifetime ?? 60) * 1000 - 1))
        let again = try await send(notifications)
        #expect(again.outcome == .complete && again.failures.isEmpty)
        #expect(again.attachments.map(\.source.fetched) == [0])
        #expect(again.attachments.map(\.source.byteCount) == [AttachmentPipelineTests.jpeg.count])
        #expect(again.attachments.map(\.source.report?.width) == [4000])
        #expect(again.stages[.download] == .zero && again.total == .zero)
        // Each has its own URL.
        #expect(again.attachments.map(\.stored.url) == ["file:///store/1.jpg?11"])
        #expect(steps.downloads.count == 1 && steps.storedCount == 1 && notifications.events.count(.reused) == 1)
        time.advance(by: .milliseconds(1))
        #expect(try await send(notifications).outcome == .complete)
        #expect(steps.downloads.count == 2)
    }

    @Test("aren't reused if reuse is off, but requests still join jobs in flight")
    func off() async throws {
        let steps = ScriptedSteps(time, Script(cacheControl: answer(600)))
        let notifications = Notifications(time, steps, reuse: ReuseRule(floor: .zero))
        for _ in 0..<2 { #expect(try await send(notifications).outcome == .complete) }
        #expect(steps.downloads.count == 2 && notifications.events.count(.reused) == 0)
    }

    @Test("of a local file aren't reused: the file may have changed")
    func localFile() async throws {
        let steps = ScriptedSteps(time, Script(cacheControl: nil))
        let notifications = Notifications(time, steps)
        for _ in 0..<2 { #expect(try await send(notifications).outcome == .complete) }
        #expect(steps.downloads.count == 2)
    }

    @Test("that are stale are revalidated once for all requests, and are kept if the source is unchanged")
    func revalidated() async throws {
        let (tag, head) = (SourceValidators(entityTag: "\"a\""), Signal())
        let steps = ScriptedSteps(
            time,
            Script(cacheControl: answer(10), validators: tag),
            Script(status: 304, cacheControl: answer(nil), head: head),
        )
        let notifications = Notifications(time, steps)
        _ = try await send(notifications)
        time.advance(by: .seconds(10))
        let tasks = [try notifications.send(), try notifications.send(), try notifications.send()]
        try await notifications.until(begun: 2, joined: 2)
        head.send()
        for task in tasks {
            let result = await task.value
            #expect(result.outcome == .complete && result.attachments.map(\.source.fetched) == [0])
        }
        #expect(steps.downloads.map(\.known) == [nil, tag] && steps.rungs.count == 1 && steps.storedCount == 1)
        #expect(notifications.events.count(.revalidated) == 1)
        // The result is fresh for ten seconds more, as before: the answer didn't give a lifetime.
        time.advance(by: .milliseconds(9_999))
        _ = try await send(notifications)
        #expect(steps.downloads.count == 2 && notifications.events.count(.reused) == 1)
        time.advance(by: .milliseconds(1))
        _ = try await send(notifications)
        #expect(steps.downloads.map(\.known) == [nil, tag, tag])
    }

    @Test("that need revalidation are revalidated each time")
    func alwaysAsked() async throws {
        let tag = SourceValidators(lastModified: "Sat, 21 Nov 2026 10:00:00 GMT")
        let steps = ScriptedSteps(
            time,
            Script(cacheControl: answer(0), validators: tag),
            Script(status: 304, cacheControl: answer(0)),
        )
        let notifications = Notifications(time, steps)
        for _ in 0..<3 { #expect(try await send(notifications).outcome == .complete) }
        #expect(steps.downloads.map(\.known) == [nil, tag, tag] && steps.rungs.count == 1)
    }

    @Test("are repeated when the source has changed")
    func changed() async throws {
        let (old, new) = (SourceValidators(entityTag: "\"a\""), SourceValidators(entityTag: "\"b\""))
        let steps = ScriptedSteps(
            time,
            Script(cacheControl: answer(0), validators: old),
            Script(cacheControl: answer(60), validators: new),
        )
        let notifications = Notifications(time, steps)
        _ = try await send(notifications)
        let result = try await send(notifications)
        #expect(result.attachments.map(\.source.fetched) == [AttachmentPipelineTests.jpeg.count])
        #expect(steps.downloads.map(\.known) == [nil, old] && steps.rungs.count == 2)
        _ = try await send(notifications)
        #expect(steps.downloads.count == 2)
    }

    @Test(
        "whose file is gone from the store are repeated, with an unconditional request",
        arguments: [0, 60]
    )
    func gone(lifetime: Int) async throws {
        let tag = SourceValidators(entityTag: "\"a\"")
        let steps = ScriptedSteps(time, Script(cacheControl: answer(lifetime), validators: tag))
        let notifications = Notifications(time, steps)
        _ = try await send(notifications)
        steps.sweep()
        let result = try await send(notifications)
        #expect(result.outcome == .complete && result.failures.isEmpty)
        #expect(steps.downloads.map(\.known) == [nil, nil] && steps.storedCount == 2)
    }

    @Test("that ended for lack of time aren't reused")
    func degraded() async throws {
        let steps = ScriptedSteps(time, Script(cacheControl: answer(60), early: [.fast], rungs: []), Script())
        let notifications = Notifications(time, steps, decoding: .milliseconds(500))
        #expect(await (try notifications.send(due: .milliseconds(220))).value.outcome == .degraded)
        #expect(try await send(notifications).outcome == .complete)
        #expect(steps.downloads.count == 2)
    }

    @Test("that failed permanently are not retried for some seconds, and then are", arguments: [404, 410])
    func negative(status: Int) async throws {
        let steps = ScriptedSteps(time, Script(status: status))
        let notifications = Notifications(time, steps)
        for _ in 0..<2 {
            let result = try await send(notifications)
            #expect(result.outcome == .original && result.failures.map(\.failure.reason) == [.httpStatus])
        }
        #expect(steps.downloads.count == 1)
        time.advance(by: .seconds(5))
        _ = try await send(notifications)
        #expect(steps.downloads.count == 2)
    }

    @Test("that failed temporarily are retried", arguments: [500, 503, 429, 403])
    func transient(status: Int) async throws {
        let steps = ScriptedSteps(time, Script(status: status))
        let notifications = Notifications(time, steps)
        for _ in 0..<2 { _ = try await send(notifications) }
        #expect(steps.downloads.count == 2)
    }

    @Test("are shared by URLs that differ only by their signature, if a rule says so; each is requested as it is")
    func mapped() async throws {
        let rule = SourceRule(match: "https://a/*", ignoredQuery: ["sig"])
        let steps = ScriptedSteps(time, Script())
        let notifications = Notifications(time, steps, reuse: ReuseRule(sources: [rule]))
        _ = try await send(notifications, "https://a/1?sig=1&w=3")
        let second = try await send(notifications, "https://a/1?w=3&sig=2")
        #expect(second.attachments.map(\.sourceURL) == ["https://a/1?w=3&sig=2"])
        _ = try await send(notifications, "https://a/1?w=4&sig=2")
        #expect(steps.downloads.map(\.url) == ["https://a/1?sig=1&w=3", "https://a/1?w=4&sig=2"])
    }

    @Test("are revalidated with the URL of the notification that asks, not with the one that made them")
    func ownURL() async throws {
        let rule = SourceRule(match: "https://a/*", ignoredQuery: ["sig"])
        let tag = SourceValidators(entityTag: "\"a\"")
        let steps = ScriptedSteps(
            time,
            Script(cacheControl: answer(0), validators: tag),
            Script(status: 304, cacheControl: answer(0)),
        )
        let notifications = Notifications(time, steps, reuse: ReuseRule(sources: [rule]))
        for number in 1...3 { #expect(try await send(notifications, "https://a/1?sig=\(number)").outcome == .complete) }
        #expect(steps.downloads.map(\.url) == (1...3).map { "https://a/1?sig=\($0)" })
    }

    @Test("whose file is taken back while another attachment is made are not delivered", arguments: [false, true])
    func takenBack(renewsAtOnce: Bool) async throws {
        let body = Signal()
        let scripts = [Script(cacheControl: answer(600)), Script(body: body)]
        let steps = ScriptedSteps(time, renewsAtOnce: renewsAtOnce, scripts[0], scripts[1])
        let notifications = Notifications(time, steps)
        _ = try await send(notifications)
        let payload = """
            {"aps":{"mutable-content":1,"alert":"Hi"},\
            "com.urbanairship.media_attachment":{"url":["https://a/1","https://a/2"]}}
            """
        let request = ProcessingRequest(
            notification: try PayloadReader().read(Array(payload.utf8), identifier: "n1")
        )
        let deadline = time.now + .seconds(20)
        let task = Task { await notifications.pipeline.process(request, deadline: deadline) }
        try await eventually { notifications.events.count(.reused) == 1 && steps.downloads.count == 2 }
        steps.sweep()
        body.send()
        let result = await task.value
        #expect(result.attachments.map(\.sourceURL) == ["https://a/2"])
        #expect(result.failures.map(\.failure.reason) == [.forgotten])
    }
}
