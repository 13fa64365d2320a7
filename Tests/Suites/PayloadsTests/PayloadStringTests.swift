import Media
import Payloads
import Testing

@Suite("Payloads inside JSON strings")
struct PayloadStringTests {
    private static let file = DeliveredAttachment(
        identifier: "a",
        url: "https://push.example/1.jpg",
        format: .jpeg,
        byteCount: 12_345
    )

    private static func read(_ text: String, _ definition: DialectDefinition? = nil) throws -> NotificationRequest {
        let own = try definition.map { [try $0.dialect()] } ?? []
        return try PayloadReader(dialects: own + Dialect.builtIn).read(Array(text.utf8), identifier: "n")
    }

    /// Returns the body after its first attachment was rewritten.
    private static func rewritten(_ text: String, _ definition: DialectDefinition? = nil) throws -> RewrittenPayload {
        PayloadWriter().write(try read(text, definition), attachments: [0: file])
    }

    @Test("every other key inside and around the string keeps its value, its order and its text")
    func exact() throws {
        let text =
            #"{"a":1.50,"APNS":"{\"z\":9007199254740993,\"u\":\"\\ud83d\\ude00 \\u00e9\",\"e\":1e400,\"aps\":{\"alert\":\"Hi\","#
            + #"\"mutable-content\":1},\"my-attachment\":\"https://a.example/1\",\"n\":null,\"n\":0.10}","A":" { \"b\" : 1.0 } ","a":2}"#
        let result = try Self.rewritten(text)
        #expect(
            String(decoding: result.bytes, as: UTF8.self)
                == #"{"a":1.50,"APNS":"{\"z\":9007199254740993,\"u\":\"😀 é\",\"e\":1e400,\"aps\":{\"alert\":\"Hi\",\"mutable-content\":1},"#
                + #"\"my-attachment\":\"https://push.example/1.jpg\",\"n\":null,\"n\":0.10,\"attachments\":[{\"identifier\":\"a\","#
                + #"\"url\":\"https://push.example/1.jpg\",\"type\":\"public.jpeg\",\"bytes\":12345}]}","#
                + #""A":" { \"b\" : 1.0 } ","a":2}"#
        )
    }

    @Test("bytes in which nothing is rewritten go back as they came")
    func untouched() throws {
        let text = #"{ "APNS" : "{ \"aps\": {\"alert\": \"Hi\"} }" }"#
        let result = PayloadWriter().write(try Self.read(text), attachments: [:])
        #expect(result.bytes == Array(text.utf8) && result.fit == .original)
    }

    @Test("a string that is no JSON object, or half a surrogate pair inside, leaves the body alone")
    func unusable() throws {
        #expect(throws: PayloadError.self) { try Self.read(#"{"APNS":"[]","GCM":"{"}"#) }
        let half = try Self.read(
            #"{"APNS":"{\"aps\":{\"alert\":\"\\ud83d\",\"mutable-content\":1},\"my-attachment\":\"https://a.example/1\"}"}"#
        )
        #expect(half.gate == .notUnicode && half.attachments.isEmpty)
    }

    @Test("Amazon SNS sends each string by itself, so the size is that of the longest")
    func snsSize() throws {
        let filler = String(repeating: "x", count: 3_000)
        let inner =
            #"{\"aps\":{\"alert\":\"Hi\",\"mutable-content\":1},\"my-attachment\":\"https://a.example/1\",\"f\":\"\#(filler)\"}"#
        let request = try Self.read(#"{"default":"d","APNS":"\#(inner)","APNS_SANDBOX":"\#(inner)"}"#)
        let size = try #require(request.payload["APNS"]?.text).utf8.count
        #expect(request.byteCount(of: request.payload) == size && request.attachments.count == 2)
        #expect(PayloadWriter().write(request, attachments: [0: Self.file, 1: Self.file]).fit == .listed)
    }

    @Test("around a string of one's own, the whole body counts as it is sent, with its backslashes")
    func ownSize() throws {
        let definition = DialectDefinition(name: "own", url: ["/u"], string: "/m")
        func body(_ count: Int) -> String {
            let filler = String(repeating: "x", count: count)
            return
                #"{"f":"\#(filler)","m":"{\"aps\":{\"alert\":\"Hi\",\"mutable-content\":1},\"u\":\"https://a.example/1\"}"}"#
        }
        let fits = try Self.rewritten(body(3_994), definition)
        #expect(fits.fit == .unlisted && fits.bytes.count == 4_096)
        let request = try Self.read(body(3_995), definition)
        #expect(request.byteCount(of: request.payload) == request.original.count)
        let tooLarge = try Self.rewritten(body(3_995), definition)
        #expect(tooLarge.fit == .original && tooLarge.failure?.reason == .payloadTooLarge)
    }

    @Test("that is so too where other dialects find the attachment inside")
    func relaySize() throws {
        let inner = #"{\"aps\":{\"alert\":\"Hi\",\"mutable-content\":1},\"my-attachment\":\"https://a.example/1\"}"#
        let request = try Self.read(
            #"{"f":"x","m":"\#(inner)"}"#,
            DialectDefinition(name: "own", url: [], string: "/m")
        )
        #expect(request.attachments.map(\.dialect) == ["my-attachment"])
        #expect(request.byteCount(of: request.payload) == request.original.count)
    }

    @Test("a body of any JSON has no limit of its size, unless it is a push payload")
    func openSize() throws {
        let definition = DialectDefinition(name: "own", url: ["/u"], gate: .none)
        let filler = String(repeating: "x", count: 5_000)
        #expect(try Self.rewritten(#"{"f":"\#(filler)","u":"https://a.example/1"}"#, definition).fit == .unlisted)
        let push = #"{"aps":{"alert":"Hi"},"f":"\#(filler)","u":"https://a.example/1"}"#
        #expect(try Self.rewritten(push, definition).failure?.reason == .payloadTooLarge)
    }

    @Test("attachments in several strings have different identifiers, and at most 16 are found")
    func several() throws {
        let media = (0..<12).map { #"\"id\#($0)\":\"https://a.example/\#($0)\""# }.joined(separator: ",")
        let inner = #"{\"aps\":{\"alert\":\"Hi\",\"mutable-content\":1},\"att\":{\#(media)}}"#
        let request = try Self.read(#"{"APNS":"\#(inner)","APNS_SANDBOX":"\#(inner)"}"#)
        #expect(request.attachments.count == PayloadReader.attachmentLimit)
        #expect(Set(request.attachments.map(\.identifier)).count == PayloadReader.attachmentLimit)
        #expect(request.attachments.last?.pointers.url.description == "/APNS_SANDBOX/att/id3")
    }
}
