import Base
import Media
import Payloads
import Processing
import Support
import Synchronization
import Testing

@Suite("Attachments that are ready ahead of time", .timeLimit(.minutes(10)))
struct PreparedTests {
    typealias Script = ScriptedSteps.Script
    private let time = TestTime()

    private func service(_ notifications: Notifications) -> NotificationService {
        NotificationService(reader: PayloadReader(), pipeline: notifications.pipeline, time: time)
    }

    private func prepare(
        _ notifications: Notifications,
        _ url: String = "https://a/1",
        profile: String? = nil,
        for hold: Duration = .seconds(3600),
    ) async throws -> PreparedResult {
        let request = PrepareRequest(source: url, profile: profile, until: .now + hold)
        let service = service(notifications)
        return await service.prepare(try service.check(request), accepted: time.now, timeLimit: .seconds(60))
    }

    @Test("notifications until then download and decode nothing, whatever lifetime the origin gives")
    func held() async throws {
        let steps = ScriptedSteps(time, Script(cacheControl: .init(lifetime: .seconds(10), received: time.start)))
        let notifications = Notifications(time, steps)
        let prepared = try await prepare(notifications)
        #expect(prepared.isReady && prepared.failure == nil && prepared.remark == nil)
        #expect(prepared.json["attachment"]?["mime"] == "image/jpeg" && prepared.json["error"] == .null)
        time.advance(by: .seconds(3000))
        for _ in 0..<3 {
            let result = await (try notifications.send()).value
            #expect(result.outcome == .complete && result.attachments.map(\.source.fetched) == [0])
        }
        #expect(steps.downloads.count == 1 && steps.rungs.count == 1 && steps.storedCount == 1)
        time.advance(by: .seconds(601))
        #expect(await (try notifications.send()).value.outcome == .complete)
        #expect(steps.downloads.count == 2)
    }

    @Test(
        "they serve a payload with a type hint, and one that has no place for the inline picture, too",
        arguments: [
            #"{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"https://a/1"}"#,
            #"{"title":"T","body":"B","attachments":[{"identifier":"","url":"https://a/1","options":"#
                + #"{"UNNotificationAttachmentOptionsTypeHintKey":"public.jpeg"}}]}"#,
            #"{"message":{"token":"t","notification":{"title":"T","image":"https://a/1"}}}"#,
        ]
    )
    func otherForms(payload: String) async throws {
        var profile = Profile.apns
        profile.image.inline = .auto
        let steps = ScriptedSteps(time, Script())
        let notifications = Notifications(time, steps)
        let service = NotificationService(
            reader: PayloadReader(),
            pipeline: notifications.pipeline,
            profiles: Profile.builtIn.map { $0.name == "apns" ? profile : $0 },
            defaults: .init(profile: profile),
            time: time
        )
        let request = PrepareRequest(source: "https://a/1", profile: "apns")
        #expect(await service.prepare(try service.check(request), accepted: time.now, timeLimit: .seconds(60)).isReady)
        let options = NotificationService.Options(profile: "apns")
        let result = try await service.process(.bytes(Array(payload.utf8)), options: options, accepted: time.now)
        #expect(result.outcome == .complete && !result.attachments.isEmpty, "\(result.explanation)")
        #expect(steps.downloads.count == 1)
    }

    @Test("another profile, or another source, is made for itself")
    func others() async throws {
        let steps = ScriptedSteps(time, Script())
        let notifications = Notifications(time, steps)
        _ = try await prepare(notifications, profile: "fcm")
        _ = await (try notifications.send()).value
        _ = await (try notifications.send("https://a/2", profile: .fcm)).value
        #expect(steps.downloads.count == 3)
        _ = await (try notifications.send(profile: .fcm)).value
        #expect(steps.downloads.count == 3)
    }

    @Test("what an origin marks private is not held, and says so")
    func secret() async throws {
        let steps = ScriptedSteps(time, Script(cacheControl: .init(isShareable: false, received: time.start)))
        let index = MemoryIndex()
        let notifications = Notifications(time, steps, index: index)
        let prepared = try await prepare(notifications)
        #expect(!prepared.isReady && prepared.remark?.contains("private") == true && prepared.attachment != nil)
        _ = await (try notifications.send()).value
        #expect(steps.downloads.count == 2 && index.count == 0)
    }

    @Test("a source that fails says why, and is not held", arguments: [404, 200])
    func failing(status: Int) async throws {
        let script = Script(status: status, failure: status == 200 ? .stalled : nil, rungsOfCut: [.partial])
        let steps = ScriptedSteps(time, script)
        let prepared = try await prepare(Notifications(time, steps))
        #expect(!prepared.isReady && prepared.failure != nil)
        #expect(prepared.json["ready"] == false && prepared.json["error"]?["reason"] != nil)
    }

    @Test("another worker of the fleet finds them in the index, and makes nothing")
    func fleet() async throws {
        let index = MemoryIndex()
        let first = ScriptedSteps(time, Script())
        #expect(try await prepare(Notifications(time, first, index: index)).isReady)
        let second = ScriptedSteps(time, Script())
        let notifications = Notifications(time, second, index: index)
        for _ in 0..<3 {
            let result = await (try notifications.send()).value
            #expect(
                result.outcome == .complete
                    && result.attachments.map(\.source.byteCount) == [AttachmentPipelineTests.jpeg.count]
            )
        }
        #expect(second.downloads.isEmpty && second.storedCount == 0)
        // It was asked once: afterwards the worker knows it.
        #expect(index.asked == 1)
    }

    @Test("what is prepared again is fetched again, so that a new picture at the URL takes the old one's place")
    func again() async throws {
        let steps = ScriptedSteps(time, Script(cacheControl: .init(lifetime: .zero, received: time.start)))
        let index = MemoryIndex()
        let notifications = Notifications(time, steps, index: index)
        for count in 1...2 {
            #expect(try await prepare(notifications).isReady)
            #expect(steps.downloads.count == count && index.asked == 0)
        }
    }

    @Test("what the index said is believed for a minute, in case it was taken back elsewhere")
    func belief() async throws {
        let index = MemoryIndex()
        _ = try await prepare(Notifications(time, ScriptedSteps(time, Script()), index: index))
        let second = ScriptedSteps(time, Script())
        let notifications = Notifications(time, second, index: index)
        _ = await (try notifications.send()).value
        await index.forget(source: "https://a/1")
        _ = await (try notifications.send()).value
        #expect(second.downloads.isEmpty && index.asked == 1)
        time.advance(by: .seconds(61))
        _ = await (try notifications.send()).value
        #expect(second.downloads.count == 1)
    }

    @Test("a notification with a wish of its own does not ask the index")
    func wishes() async throws {
        let (index, steps) = (MemoryIndex(), ScriptedSteps(time, Script()))
        let notifications = Notifications(time, steps, index: index)
        let payload = #"{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"https://a/1"}"#
        let options = NotificationService.Options(clip: ClipSelection(start: .seconds(3)))
        let service = service(notifications)
        _ = try await service.process(.bytes(Array(payload.utf8)), options: options, accepted: time.now)
        #expect(index.asked == 0 && steps.downloads.count == 1)
    }

    @Test("a source that was taken back is gone from the worker and from the index")
    func forgotten() async throws {
        let (index, steps) = (MemoryIndex(), ScriptedSteps(time, Script()))
        let notifications = Notifications(time, steps, index: index)
        _ = try await prepare(notifications)
        _ = await service(notifications).forget(source: "https://a/1")
        #expect(index.count == 0)
        time.advance(by: .seconds(1))
        _ = await (try notifications.send()).value
        #expect(steps.downloads.count == 2)
    }

    @Test("a time beyond what files are kept, and an unknown profile, are refused")
    func refused() async throws {
        let notifications = Notifications(time, ScriptedSteps(time, Script()))
        await #expect(throws: RequestError.self) { try await prepare(notifications, for: .seconds(90_000)) }
        await #expect(throws: RequestError.self) { try await prepare(notifications, profile: "nokia") }
    }

    @Test(
        "a request that cannot be read says what to write",
        arguments: [
            ("1", "is an object"), ("{}", "is an object"), (#"{"source":""}"#, "is an object"),
            (#"{"source":"https://a","url":1}"#, "no \"url\""), (#"{"source":"https://a","profile":1}"#, "\"apns\""),
            (#"{"source":"https://a","until":"soon"}"#, "6h"),
            (#"{"source":"https://a","until":"2036-12-01T18:00:00Zzz"}"#, "6h"),
            (#"{"source":"https://a","until":"2036-12-01T99:99:99Z"}"#, "6h"),
            (#"{"source":"https://a","until":"2036-12-01"}"#, "6h"), (#"{"source":"https://a","until":5}"#, "6h"),
            (#"{"source":"https://a","until":"2020-01-01T00:00:00Z"}"#, "in the future"),
        ]
    )
    func unreadable(text: String, advice: String) throws {
        let value = try JSONValue(parsing: Array(text.utf8))
        do {
            _ = try PrepareRequest(value, now: .now)
            Issue.record("\(text) was read")
        } catch {
            #expect("\(error)".contains(advice))
        }
    }

    @Test("a time is read as RFC 3339 has it, and as a duration from now")
    func times() throws {
        func until(_ text: String) throws -> Int? {
            let value: JSONValue = ["source": "https://a", "until": .string(text)]
            return try PrepareRequest(value, now: UnixTime(seconds: 1_000)).until?.seconds
        }
        #expect(try until("2026-12-01T18:00:00Z") == 1_796_148_000)
        #expect(try until("2026-12-01T19:00:00+01:00") == 1_796_148_000)
        #expect(try until("2026-12-01T18:00:00.75Z") == 1_796_148_000)
        #expect(try until("2h") == 8_200)
        #expect(RFC3339Time(UnixTime(seconds: 1_796_148_000)).description == "2026-12-01T18:00:00Z")
    }
}

/// An index in memory, through the same form as in Redis.
private final class MemoryIndex: PreparedIndex {
    private let state = Mutex((entries: [PreparedName: JSONValue](), asked: 0))

    var count: Int { state.withLock(\.entries.count) }
    var asked: Int { state.withLock(\.asked) }

    func find(_ name: PreparedName, within patience: Duration) async -> PreparedAttachment? {
        let json = state.withLock { state in
            state.asked += 1
            return state.entries[name]
        }
        return json.flatMap { PreparedAttachment($0, url: { "https://cdn.example/\($0)" }) }
    }

    func add(_ attachment: PreparedAttachment, as name: PreparedName, within patience: Duration) async -> Bool {
        var attachment = attachment
        attachment.stored.sha256 = String(repeating: "0", count: 64)
        let json = attachment.json
        state.withLock { $0.entries[name] = json }
        return true
    }

    func forget(source: String) async {
        state.withLock { state in state.entries = state.entries.filter { $0.key.source != source } }
    }
}
