import Base
import Media
import Payloads
import Processing
import Support
import Testing

@Suite("The pipeline", .timeLimit(.minutes(10)))
struct AttachmentPipelineTests {
    static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 0, count: 1000)
    let time = TestTime()
    let deadline = Instant(sinceOrigin: .seconds(20))

    /// Returns a payload with the attachments at `urls`, in Airship's form for several.
    private func notification(_ urls: String..., isMutable: Bool = true) throws -> NotificationRequest {
        let list = urls.map { "\"\($0)\"" }.joined(separator: ",")
        let payload = """
            {"aps":{\(isMutable ? "\"mutable-content\":1," : "")"alert":"Hi"},"id":9007199254740993,\
            "com.urbanairship.media_attachment":{"url":[\(list)]}}
            """
        return try PayloadReader().read(Array(payload.utf8), identifier: "n1")
    }

    private func process(
        _ notification: NotificationRequest,
        _ behaviours: [String: FakeDownloader.Behaviour],
        _ converter: FakeConverter = FakeConverter(),
        _ store: FakeStore = FakeStore(),
        time: TestTime? = nil,
    ) -> Task<ProcessingResult, Never> {
        let steps = AttachmentPipeline.Steps(
            downloader: FakeDownloader(behaviours: behaviours),
            converter: converter,
            store: store,
        )
        return Task { [time = time ?? self.time, deadline] in
            await AttachmentPipeline(steps: steps, time: time)
                .process(ProcessingRequest(notification: notification), deadline: deadline)
        }
    }

    @Test("on a full machine the best attempt is taken earlier, by as much as timers end late")
    func lateTimers() async throws {
        let late = TestTime(lateness: .milliseconds(300))
        let result = try process(notification("https://a/1"), ["https://a/1": .hangs], time: late)
        await late.sleeper(until: TimeBudget(now: late.start, deadline: deadline).expiry - .milliseconds(300))
        late.advance(by: .seconds(20) - .milliseconds(450))
        let value = await result.value
        #expect(value.outcome == .original && value.margin == .milliseconds(450))
    }

    @Test("a whole source that reaches its last rung is complete, and its file is in the payload")
    func complete() async throws {
        let result = try await process(notification("https://a/1"), ["https://a/1": .body(Self.jpeg)]).value
        #expect(result.outcome == .complete && result.failures.isEmpty)
        #expect(result.attachments.map(\.report.rung) == [.downscaled])
        let payload = try JSONValue(parsing: result.payload)
        #expect(
            payload.value(at: try JSONPointer("/com.urbanairship.media_attachment/url/0"))?.text
                == "file:///store/1.jpg"
        )
        #expect(payload["id"] == .number("9007199254740993"))
    }

    @Test("a notification whose deadline passed while it waited comes back unchanged, and says so")
    func expired() throws {
        let steps = AttachmentPipeline.Steps(
            downloader: FakeDownloader(behaviours: [:]),
            converter: FakeConverter(),
            store: FakeStore(),
        )
        let notification = try notification("https://a/1")
        let result = AttachmentPipeline(steps: steps, time: time)
            .decline(ProcessingRequest(notification: notification), deadline: deadline)
        #expect(result.outcome == .original && result.payload == notification.payload.compactBytes)
        #expect(result.failures.map(\.failure.reason) == [.timedOut])
    }

    @Test("of several answers to one job only the first is an event")
    func reportedOnce() async throws {
        let steps = AttachmentPipeline.Steps(
            downloader: FakeDownloader(behaviours: ["https://a/1": .fails(.httpStatus)]),
            converter: FakeConverter(),
            store: FakeStore(),
        )
        let events = RecordedEvents<ProcessingEvent>()
        let pipeline = AttachmentPipeline(steps: steps, time: time, recorder: events)
        let request = ProcessingRequest(notification: try notification("https://a/1"))
        let answered = { events.count { if case .answered = $0 { true } else { false } } }
        await AnswerReport.$current.withValue(AnswerReport()) {
            _ = pipeline.decline(request, deadline: deadline)
            _ = await pipeline.process(request, deadline: deadline)
        }
        #expect(answered() == 1)
        _ = pipeline.decline(request, deadline: deadline)
        #expect(answered() == 2)
        // A job that goes back to the queue is answered by another worker.
        await Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            await AnswerReport.$current.withValue(AnswerReport()) {
                _ = await pipeline.process(request, deadline: deadline)
            }
        }
        .value
        #expect(answered() == 2)
    }

    @Test(
        "the margin counts when an answer leaves, not when it is ready; an answer to a job is handed to the queue at once"
    )
    func marginWhenLeft() async throws {
        let steps = AttachmentPipeline.Steps(
            downloader: FakeDownloader(behaviours: [:]),
            converter: FakeConverter(),
            store: FakeStore(),
        )
        let events = RecordedEvents<ProcessingEvent>()
        let pipeline = AttachmentPipeline(steps: steps, time: time, recorder: events)
        let service = NotificationService(reader: PayloadReader(), pipeline: pipeline, time: time)
        let request = ProcessingRequest(notification: try notification("https://a/1"))
        let margin = deadline - time.now
        func count(_ expected: Duration) -> Int {
            events.count { if case .left(expected) = $0 { true } else { false } }
        }
        let result = pipeline.decline(request, deadline: deadline)
        #expect(count(margin) == 0)
        time.advance(by: .seconds(2))
        service.left([result])
        #expect(count(margin - .seconds(2)) == 1 && result.margin == margin)
        AnswerReport.$current.withValue(AnswerReport()) { _ = pipeline.decline(request, deadline: deadline) }
        #expect(count(margin - .seconds(2)) == 2)
    }

    @Test("a failed attachment leaves the others, and the outcome is degraded")
    func oneOfTwoFails() async throws {
        let result = try await process(
            notification("https://a/1", "https://a/2"),
            ["https://a/1": .fails(.httpStatus), "https://a/2": .body(Self.jpeg)],
        )
        .value
        #expect(result.outcome == .degraded)
        #expect(result.attachments.map(\.sourceURL) == ["https://a/2"])
        #expect(result.failures.map(\.failure.code) == [.attachmentInvalidURL])
    }

    @Test(
        "a failed source gives the original payload, and the error that the device would have",
        arguments: [
            (AttachmentFailure.Reason.httpStatus, UserNotificationsErrorCode.attachmentInvalidURL),
            (.refusedAddress, .attachmentInvalidURL), (.empty, .attachmentInvalidFileSize),
            (.tooLarge, .attachmentInvalidFileSize),
        ],
    )
    func original(reason: AttachmentFailure.Reason, code: UserNotificationsErrorCode) async throws {
        let notification = try notification("https://a/1")
        let result = await process(notification, ["https://a/1": .fails(reason)]).value
        #expect(result.outcome == .original && result.payload == notification.original)
        #expect(result.failures.map(\.failure.code) == [code])
    }

    @Test("a page in place of a picture is refused before any decoder sees it")
    func page() async throws {
        let page = Array("<html><body>Please log in</body></html>".utf8)
        let result = try await process(notification("https://a/1"), ["https://a/1": .body(page)]).value
        #expect(result.outcome == .original)
        #expect(result.failures.map(\.failure.code) == [.attachmentUnrecognizedType])
    }

    @Test("a payload that may not be changed comes back unchanged, without an error")
    func gate() async throws {
        let notification = try notification("https://a/1", isMutable: false)
        let result = await process(notification, [:]).value
        #expect(result.outcome == .original && result.failures.isEmpty && result.payload == notification.original)
    }

    @Test("a download that hangs is abandoned: the original goes out on time")
    func hangingDownload() async throws {
        let result = try process(notification("https://a/1"), ["https://a/1": .hangs])
        await time.sleepers(1)
        time.advance(by: .seconds(20))
        #expect(await result.value.outcome == .original)
        #expect(await result.value.failures.map(\.failure.reason) == [.timedOut])
    }

    @Test("a decoder that hangs is abandoned, and its emitted rungs are kept")
    func hangingDecoder() async throws {
        let converter = FakeConverter(rungs: [.embeddedThumbnail, .fast], hangs: true)
        let result = try process(notification("https://a/1"), ["https://a/1": .body(Self.jpeg)], converter)
        // The host's deadline, and the source's.
        await time.sleepers(2)
        time.advance(by: .seconds(18))
        await time.sleepers(1)
        time.advance(by: .milliseconds(1900))
        let value = await result.value
        #expect(value.outcome == .degraded && value.attachments.map(\.report.rung) == [.fast])
        #expect(value.failures.map(\.failure.reason) == [.timedOut])
        #expect(value.margin > .zero)
    }

    @Test("a download that stalls is ended in time to decode its bytes")
    func stalledDownload() async throws {
        let converter = FakeConverter(rungsOfCut: [.partial])
        let result = try process(notification("https://a/1"), ["https://a/1": .stalls(Self.jpeg)], converter)
        await time.sleepers(2)
        time.advance(by: .milliseconds(19_400))
        let value = await result.value
        #expect(value.outcome == .degraded && value.attachments.map(\.report.rung) == [.partial])
        #expect(value.failures.map(\.failure.reason) == [.timedOut])
        #expect(value.margin >= .milliseconds(500))
    }

    @Test("a source of which a part is enough is complete, and the result tells the fetched and the total bytes")
    func part() async throws {
        let movie = Array("\0\0\0\u{14}ftypisom\0\0\0\0isom".utf8) + [UInt8](repeating: 0, count: 1000)
        let converter = FakeConverter(rungs: [.poster, .transcoded], needsAll: false)
        let behaviours = ["https://a/1": FakeDownloader.Behaviour.part(movie, of: 300_000_000)]
        let result = try await process(notification("https://a/1"), behaviours, converter).value
        #expect(result.outcome == .complete)
        #expect(result.attachments.map(\.source.fetched) == [movie.count])
        #expect(result.attachments.map(\.source.byteCount) == [300_000_000])
    }

    @Test("a full store leaves the original, and the result says so")
    func fullStore() async throws {
        let behaviours = ["https://a/1": FakeDownloader.Behaviour.body(Self.jpeg)]
        let result = try await process(notification("https://a/1"), behaviours, FakeConverter(), FakeStore(.fails))
            .value
        #expect(result.outcome == .original)
        #expect(result.failures.map(\.failure.code) == [.attachmentMoveIntoDataStoreFailed])
    }

    @Test("a store that is known to fail costs no download: the original goes out at once, and the result says so")
    func refusingStore() async throws {
        // The download would never end.
        let behaviours = ["https://a/1": FakeDownloader.Behaviour.hangs]
        let result = try await process(notification("https://a/1"), behaviours, FakeConverter(), FakeStore(.refuses))
            .value
        #expect(result.outcome == .original && result.margin == .seconds(20))
        #expect(result.failures.map(\.failure.reason) == [.publishFailed])
        #expect(result.failures.map(\.failure.code) == [.attachmentMoveIntoDataStoreFailed])
    }

    @Test("a store that hangs is abandoned before the deadline")
    func hangingStore() async throws {
        let behaviours = ["https://a/1": FakeDownloader.Behaviour.body(Self.jpeg)]
        let result = try process(notification("https://a/1"), behaviours, FakeConverter(), FakeStore(.hangs))
        // The host has returned; only the store's deadline still sleeps.
        await time.sleeper(until: TimeBudget(now: time.start, deadline: deadline).storeExpiry)
        time.advance(by: .milliseconds(19_950))
        let value = await result.value
        #expect(value.outcome == .original && value.margin > .zero)
        #expect(value.failures.map(\.failure.reason) == [.timedOut])
    }

    @Test("files that were stored before the store hung are delivered")
    func storeHangsOnTheWay() async throws {
        let behaviours = ["https://a/1": FakeDownloader.Behaviour.body(Self.jpeg), "https://a/2": .body(Self.jpeg)]
        let notification = try notification("https://a/1", "https://a/2")
        let store = FakeStore(.storesOne)
        let result = process(notification, behaviours, FakeConverter(), store)
        await time.sleeper(until: TimeBudget(now: time.start, deadline: deadline).storeExpiry)
        await store.hanging.wait()
        time.advance(by: .milliseconds(19_950))
        let value = await result.value
        #expect(value.outcome == .degraded && value.attachments.count == 1)
        #expect(value.failures.map(\.failure.reason) == [.timedOut])
    }

    @Test(
        "an earlier rung of a whole source is degraded, and says why",
        arguments: [
            (Rung.fast, AttachmentFailure.Reason.timedOut), (.shortened, .tooLarge), (.firstFrame, .tooLarge),
            (.partial, .truncated),
        ]
    )
    func earlierRung(rung: Rung, reason: AttachmentFailure.Reason) async throws {
        let behaviours = ["https://a/1": FakeDownloader.Behaviour.body(Self.jpeg)]
        let result = try await process(notification("https://a/1"), behaviours, FakeConverter(rungs: [rung])).value
        #expect(result.outcome == .degraded)
        #expect(result.failures.map(\.failure.reason) == [reason] && result.failures[0].attachment != nil)
    }

    @Test("the result's JSON has the promised members, and the payload with exact numbers")
    func json() async throws {
        let result = try await process(notification("https://a/1"), ["https://a/1": .body(Self.jpeg)]).value
        let json = try JSONValue(parsing: result.json)
        #expect(json["id"]?.text == "n1" && json["outcome"]?.text == "complete")
        #expect(json["payload"]?["id"] == .number("9007199254740993"))
        let attachment = try #require(json.value(at: try JSONPointer("/attachments/0")))
        #expect(attachment["type"]?.text == "public.jpeg" && attachment["mime"]?.text == "image/jpeg")
        #expect(attachment["source"]?["width"] == .integer(4000))
        #expect(attachment["source"]?["bytes"] == .integer(Self.jpeg.count))
        #expect(json["timings"]?["total"] == .integer(0) && json["margin"] == .integer(20_000))
    }
}
