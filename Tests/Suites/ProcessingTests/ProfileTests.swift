import Base
import Media
import Payloads
import Processing
import Support
import Synchronization
import Testing

@Suite("Profiles, options and limits of one notification", .timeLimit(.minutes(10)))
struct ProfileTests {
    static let banner: Profile = {
        var profile = Profile.apns
        profile.name = "banner"
        profile.image.longEdge = 600
        profile.categories = ["PHOTO", "ALBUM"]
        profile.cropsToClippingRectangle = true
        return profile
    }()

    static let message = """
        {"message":{"notification":{"title":"Hi"},"android":{"notification":{"image":"https://a/1"}},\
        "apns":{"payload":{"aps":{"mutable-content":1,"category":"PHOTO"}},"fcm_options":{"image":"https://a/1"}},\
        "webpush":{"notification":{"image":"https://a/1"}}}}
        """

    let converter = RecordingConverter()
    let time = TestTime()

    /// Processes a payload whose attachments are all at `https://a/1`.
    func process(
        _ payload: String,
        _ options: NotificationService.Options = .init(),
        store: any AttachmentStoring = FakeStore(),
    ) async throws -> ProcessingResult {
        let steps = AttachmentPipeline.Steps(
            downloader: FakeDownloader(behaviours: ["https://a/1": .body(AttachmentPipelineTests.jpeg)]),
            converter: converter,
            store: store,
        )
        let service = NotificationService(
            reader: PayloadReader(),
            pipeline: AttachmentPipeline(steps: steps, time: time),
            profiles: Profile.builtIn + [Self.banner],
            time: time,
        )
        return try await service.process(.bytes(Array(payload.utf8)), options: options, accepted: service.now)
    }

    static func payload(_ more: String = "", aps: String = "") -> String {
        #"{"aps":{"alert":"Hi","mutable-content":1\#(aps)},"my-attachment":"https://a/1"\#(more)}"#
    }

    @Test(
        "the request's profile wins over the category's, and that over the default",
        arguments: [
            (nil, "", "profile apns, the default: /my-attachment", 1038),
            (nil, "PHOTO", "profile banner, for the category \"PHOTO\": /my-attachment", 600),
            (nil, "ALBUM", "profile banner, for the category \"ALBUM\": /my-attachment", 600),
            (nil, "photo", "profile apns, the default: /my-attachment", 1038),
            ("webpush", "PHOTO", "profile webpush, as asked for: /my-attachment", 1024),
        ] as [(String?, String, String, Int)]
    )
    func order(asked: String?, category: String, explanation: String, longEdge: Int) async throws {
        let payload = Self.payload(aps: #","category":"\#(category)""#)
        let result = try await process(payload, .init(profile: asked))
        #expect(result.explanation.split(separator: "\n").last.map(String.init) == explanation)
        #expect(converter.requests.map(\.image.longEdge) == [longEdge])
    }

    @Test(
        "a profile's WebP goes only to fields that no iPhone reads",
        arguments: [
            (payload(), [false]),
            (#"{"message":{"notification":{"image":"https://a/1"}}}"#, [false]),
            (#"{"message":{"android":{"notification":{"image":"https://a/1"}}}}"#, [true]),
            (#"{"message":{"webpush":{"headers":{"image":"https://a/1"}}}}"#, [true]),
            (message, [false, true]),
        ] as [(String, [Bool])]
    )
    func webP(payload: String, expected: [Bool]) async throws {
        _ = try await process(payload, .init(profile: "webpush"))
        #expect(Set(converter.requests.map { $0.image.formats.contains(.webp) }) == Set(expected))
    }

    @Test("in a message for several platforms each attachment gets its platform's profile")
    func platforms() async throws {
        let result = try await process(Self.message)
        #expect(
            result.explanation.split(separator: "\n").suffix(3) == [
                "profile apns, which the attachment's platform needs: /message/apns/fcm_options/image",
                "profile fcm, which the attachment's platform needs: /message/android/notification/image",
                "profile webpush, which the attachment's platform needs: /message/webpush/notification/image",
            ]
        )
        #expect(converter.requests.filter { $0.animation == nil }.count == 2)
        #expect(converter.requests.filter { $0.image == Profile.webpush.image }.count == 1)
    }

    @Test("a profile in the request applies to all platforms")
    func requestedForAll() async throws {
        _ = try await process(Self.message, .init(profile: "webpush"))
        // The two that no iPhone gets are one job.
        #expect(Set(converter.requests.map(\.image)) == [Profile.webpush.image.forIPhones, Profile.webpush.image])
        #expect(converter.requests.count == 2)
    }

    @Test("a picture is clipped here if the profile asks for it, and not again on the device")
    func clipping() async throws {
        let rectangle = #"{"x":0.25,"y":0,"width":0.5,"height":1.0}"#
        let airship = #"{"url":"https://a/1","options":{"crop":\#(rectangle)}}"#
        let payload = #"{"aps":{"alert":"Hi","mutable-content":1},"com.urbanairship.media_attachment":\#(airship)}"#
        let pointer = try JSONPointer("/com.urbanairship.media_attachment/options/crop")

        let kept = try await process(payload)
        #expect(converter.requests.map(\.clippingRectangle) == [nil])
        #expect(try JSONValue(parsing: kept.payload).value(at: pointer)?.compactText == rectangle)

        let clipped = try await process(payload, .init(profile: "banner"))
        #expect(converter.requests.last?.clippingRectangle == ClippingRectangle(x: 0.25, y: 0, width: 0.5, height: 1))
        let whole = try JSONValue(parsing: clipped.payload).value(at: pointer)?.compactText
        #expect(whole == #"{"x":0,"y":0,"width":1,"height":1}"#)
    }

    @Test("corrected options are in the result, and valid ones leave no trace")
    func remarks() async throws {
        #expect(try JSONValue(parsing: await process(Self.payload()).json)["remarks"] == nil)
        let options = #"{"UNNotificationAttachmentOptionsTypeHintKey":"image/jpeg"}"#
        let result = try await process(
            #"{"aps":{"alert":"Hi","mutable-content":1},"_wp":{"attachments":[{"url":"https://a/1","#
                + #""options":\#(options)}]}}"#
        )
        #expect(result.remarks.map { $0.prefix { $0 != ":" } } == ["optionInvalid"])
        #expect(result.explanation.contains("Write the type identifier public.jpeg"))
        #expect(try JSONValue(parsing: result.json)["remarks"] == .array(result.remarks.map { .string($0) }))
    }

    @Test("a VoIP push may be a kilobyte larger")
    func pushType() async throws {
        let payload = Self.payload(#","filler":"\#(String(repeating: "x", count: 4400))""#)
        #expect(try await process(payload).outcome == .original)
        let result = try await process(payload, .init(pushType: .voip))
        #expect(result.outcome == .complete && result.payload.count <= 5120)
    }

    @Test("a payload is filled to its last byte: without the list, then with the short URL, then unchanged")
    func exactFit() async throws {
        let store = PublicStore()
        let bare = Self.payload(#","filler":"""#).utf8.count - "https://a/1".utf8.count
        func process(room: Int) async throws -> ProcessingResult {
            let filler = String(repeating: "x", count: 4096 - bare - room)
            return try await self.process(Self.payload(#","filler":"\#(filler)""#), store: store)
        }
        func url(_ result: ProcessingResult) throws -> String? {
            try JSONValue(parsing: result.payload)["my-attachment"]?.text
        }
        let long = try await process(room: PublicStore.url.utf8.count)
        #expect(try long.payload.count == 4096 && url(long) == PublicStore.url)
        for room in [PublicStore.url.utf8.count - 1, PublicStore.shortURL.utf8.count] {
            let short = try await process(room: room)
            #expect(try short.payload.count <= 4096 && url(short) == PublicStore.shortURL)
            #expect(short.outcome == .complete)
        }
        let none = try await process(room: PublicStore.shortURL.utf8.count - 1)
        #expect(try none.outcome == .original && url(none) == "https://a/1")
        #expect(none.failures.map(\.failure.reason) == [.payloadTooLarge] && none.attachments.isEmpty)
    }
}

/// A converter that records its requests.
final class RecordingConverter: AttachmentConverting {
    private let recorded = Mutex<[ConversionRequest]>([])

    var requests: [ConversionRequest] { recorded.withLock { $0 } }

    func convert(_ job: ConversionJob) async throws(AttachmentFailure) -> Duration {
        recorded.withLock { $0.append(job.request) }
        return try await FakeConverter().convert(job)
    }
}

/// A store whose files have public URLs, a long and a short one.
private struct PublicStore: AttachmentStoring {
    static let url = "https://push.example/v1/attachments/0123456789abcdef.jpg?expires=1800000000&signature=0123456789"
    static let shortURL = "https://push.example/a/0123456789"

    func store(_ rung: ReadyRung, of source: String, until deadline: Instant) async throws(AttachmentFailure)
        -> StoredFile
    {
        StoredFile(identifier: "0123456789abcdef", url: Self.url, shortURL: Self.shortURL, sha256: "00")
    }

    func renew(_ stored: StoredFile) async -> StoredFile? { stored }
}
