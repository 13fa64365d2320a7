import Base
import Media
import Payloads
import Processing
import Support
import Testing

@Suite("A fallback text for failed media", .timeLimit(.minutes(10)))
struct FallbackTextTests {
    static let payload = """
        {"aps":{"alert":{"body":"Look!"},"mutable-content":1},"_mediaUrl":"https://a/1","_mediaAlt":"A hut"}
        """
    let time = TestTime()

    private func process(_ downloader: FakeDownloader.Behaviour) throws -> Task<ProcessingResult, Never> {
        let steps = AttachmentPipeline.Steps(
            downloader: FakeDownloader(behaviours: ["https://a/1": downloader]),
            converter: FakeConverter(),
            store: FakeStore(),
        )
        let notification = try PayloadReader().read(Array(Self.payload.utf8), identifier: "n1")
        return Task { [time] in
            await AttachmentPipeline(steps: steps, time: time)
                .process(ProcessingRequest(notification: notification), deadline: time.start + .seconds(20))
        }
    }

    private func expectText(in result: ProcessingResult) throws {
        let payload = try JSONValue(parsing: result.payload)
        #expect(payload.value(at: try JSONPointer("/aps/alert/body"))?.text == "A hut")
        #expect(payload["_mediaUrl"]?.text == "https://a/1")
        // The payload is no longer the original, so the outcome is not `original`.
        #expect(result.outcome == .degraded && result.attachments.isEmpty)
    }

    @Test("the text becomes the body when the download fails")
    func failure() async throws {
        try await expectText(in: process(.fails(.httpStatus)).value)
    }

    @Test("the text becomes the body when the deadline expires")
    func expiry() async throws {
        let result = try process(.hangs)
        await time.sleepers(1)
        time.advance(by: .seconds(19.9))
        let value = await result.value
        try expectText(in: value)
        #expect(value.failures.map(\.failure.reason) == [.timedOut] && value.margin > .zero)
    }

    @Test("the text stays in place when the media is ready")
    func success() async throws {
        let result = try await process(.body(AttachmentPipelineTests.jpeg)).value
        let payload = try JSONValue(parsing: result.payload)
        #expect(result.outcome == .complete)
        #expect(payload.value(at: try JSONPointer("/aps/alert/body"))?.text == "Look!")
    }
}
