import Foundation
import Media
import Testing

@testable import Payloads

@Suite("Live Activities")
struct LiveActivityTests {
    private static let picture = InlinePicture(thumbHash: Array(1...24), pictures: [[UInt8](repeating: 7, count: 900)])
    private static let url = "https://shop.example/parcel.jpg"

    private static func payload(_ state: String, aps: String = "", padding: Int = 0) -> String {
        let pad = String(repeating: "x", count: padding)
        return #"{"aps":{"event":"update","content-state":\#(state)\#(aps)},"pad":"\#(pad)"}"#
    }

    private static func request(
        _ payload: String,
        at pattern: JSONPattern? = "/aps/content-state/picture",
        dialects: [Dialect] = Dialect.builtIn,
    ) throws -> NotificationRequest {
        try PayloadReader(dialects: dialects).read(Array(payload.utf8), identifier: "n", inlinePattern: pattern)
    }

    private static func write(_ request: NotificationRequest, inline: InlinePicture? = picture) -> RewrittenPayload {
        let file = DeliveredAttachment(
            identifier: "i",
            url: "https://push.example/a",
            format: .jpeg,
            inline: inline
        )
        let all = request.attachments.indices.map { ($0, file) }
        return PayloadWriter().write(request, attachments: Dictionary(uniqueKeysWithValues: all))
    }

    @Test("the inline picture takes the URL's place, and no URL and no array is added")
    func replaced() throws {
        let request = try Self.request(Self.payload(#"{"picture":"\#(Self.url)","eta":5}"#))
        #expect(request.gate == .open && request.attachments.map(\.url) == [Self.url])
        let written = Self.write(request)
        #expect(
            written.payload.value(at: try JSONPointer("/aps/content-state"))
                == [
                    "picture": [
                        "thumbhash": .string(Data(1...24).base64EncodedString()), "type": "image/jpeg",
                        "data": .string(Data(repeating: 7, count: 900).base64EncodedString()),
                    ], "eta": 5,
                ]
        )
        #expect(written.payload["attachments"] == nil)
        #expect(!String(decoding: written.bytes, as: UTF8.self).contains("push.example"))
    }

    @Test("each element of a list gets its own picture")
    func several() throws {
        let state = #"{"legs":[{"p":"https://a.example/1"},{"p":"https://a.example/2"}]}"#
        let written = Self.write(try Self.request(Self.payload(state), at: "/aps/content-state/legs/*/p"))
        for index in 0...1 {
            #expect(written.payload.value(at: try JSONPointer("/aps/content-state/legs/\(index)/p/data")) != nil)
        }
    }

    @Test("a URL that a dialect finds elsewhere stays, and the picture is added at its place")
    func elsewhere() throws {
        let dialect = try DialectDefinition(name: "own", url: ["/aps/content-state/link"]).dialect()
        let request = try Self.request(
            Self.payload(#"{"link":"\#(Self.url)"}"#),
            dialects: [dialect] + Dialect.builtIn
        )
        let written = Self.write(request)
        #expect(written.payload.value(at: try JSONPointer("/aps/content-state/link"))?.text == Self.url)
        #expect(written.payload.value(at: try JSONPointer("/aps/content-state/picture/data")) != nil)
        #expect(written.payload["attachments"] == nil)
    }

    @Test("a picture for Android in the same message stays when the inline one has no room")
    func otherPlatform() throws {
        let state = Self.payload(#"{"picture":"\#(Self.url)"}"#, padding: 3900)
        let message =
            #"{"message":{"token":"t","android":{"notification":{"image":"https://a.example/1"}},"apns":{"payload":\#(state)}}}"#
        let written = Self.write(try Self.request(message), inline: nil)
        let picture = try JSONPointer("/message/android/notification/image")
        #expect(written.payload.value(at: picture)?.text?.hasPrefix("https://push.example/a") == true)
        let kept = try JSONPointer("/message/apns/payload/aps/content-state/picture")
        #expect(written.payload.value(at: kept)?.text == Self.url)
    }

    @Test("a dialect that the request names finds the URL, and not the pointer")
    func pinned() throws {
        let payload = Self.payload(#"{"picture":"\#(Self.url)"}"#)
        let request = try PayloadReader()
            .read(
                Array(payload.utf8),
                identifier: "n",
                dialect: "my-attachment",
                inlinePattern: "/aps/content-state/picture"
            )
        #expect(request.attachments.isEmpty)
    }

    @Test("inside Firebase's message the pointer starts at the payload for Apple's devices")
    func firebase() throws {
        let message =
            #"{"message":{"token":"t","apns":{"live_activity_token":"l","payload":\#(Self.payload(#"{"picture":"\#(Self.url)"}"#))}}}"#
        let written = Self.write(try Self.request(message))
        let place = try JSONPointer("/message/apns/payload/aps/content-state/picture/thumbhash")
        #expect(written.payload.value(at: place) != nil)
    }

    @Test("a payload that fills up keeps the hash, and then its URL, with an error")
    func full() throws {
        func written(_ padding: Int) throws -> RewrittenPayload {
            Self.write(try Self.request(Self.payload(#"{"picture":"\#(Self.url)"}"#, padding: padding)))
        }
        let room = 4096 - (try written(0)).bytes.count
        #expect(try written(room).bytes.count == 4096)
        let place = try JSONPointer("/aps/content-state/picture")
        let fuller = try written(room + 1).payload.value(at: place)
        #expect(fuller?["thumbhash"] != nil && fuller?["data"] == nil)
        let full = try written(3995)
        #expect(full.fit == .original && full.failure?.reason == .payloadTooLarge)
    }

    @Test("without an inline picture the payload stays as it came, with an error")
    func noPicture() throws {
        let payload = Self.payload(#"{"picture":"\#(Self.url)"}"#)
        let written = Self.write(try Self.request(payload), inline: nil)
        #expect(written.bytes == Array(payload.utf8) && written.failure?.reason == .unsupportedFormat)
    }

    @Test(
        "nothing is found without the profile's pointer, in another kind of push, or where there is no URL",
        arguments: [
            (payload(#"{"picture":"\#(url)"}"#), nil),
            (#"{"aps":{"alert":"Hi"},"picture":"\#(url)"}"#, "/picture"),
            (#"{"aps":{"content-state":"x"},"picture":"\#(url)"}"#, "/picture"),
            (payload(#"{"picture":"parcel"}"#), "/aps/content-state/picture"),
            (payload(#"{"picture":5}"#), "/aps/content-state/picture"),
            // The place is taken by the name of a picture in the app.
            (
                #"{"aps":{"content-state":{"picture":"parcel"}},"my-attachment":"\#(url)"}"#,
                "/aps/content-state/picture"
            ),
            // No element of a list belongs to the URL.
            (#"{"aps":{"content-state":{"legs":[{}]}},"my-attachment":"\#(url)"}"#, "/aps/content-state/legs/*/p"),
            (#"{"aps":{"content-state":{"legs":{}}},"my-attachment":"\#(url)"}"#, "/aps/content-state/legs/*/p"),
        ] as [(String, String?)]
    )
    func nothing(payload: String, pointer: String?) throws {
        let request = try Self.request(payload, at: pointer.map { try JSONPattern($0) })
        #expect(request.attachments.isEmpty)
        #expect(Self.write(request).bytes == Array(payload.utf8))
    }
}
