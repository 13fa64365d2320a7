import Payloads
import Testing

@testable import Preview

@Suite("What a phone without network shows")
struct InlineViewTests {
    private static func payload(_ inline: JSONValue?) -> JSONValue {
        let other: JSONValue = [
            "identifier": "other", "inline": ["thumbhash": "AAAA", "type": "image/png", "data": "BBBB"],
        ]
        var entry: [JSONValue.Member] = [.init("identifier", "one"), .init("url", "https://push.example/1")]
        if let inline { entry.append(.init("inline", inline)) }
        return ["attachments": .array([other, .object(entry)])]
    }

    @Test("the picture of the attachment with this identifier, as the payload has it")
    func picture() throws {
        let payload = Self.payload(["thumbhash": "AAAA", "type": "image/webp", "data": "CCCC"])
        let view = try #require(InlineView(of: "one", in: payload))
        #expect(view.url == "data:image/webp;base64,CCCC")
        #expect(view.size == "54 bytes of the payload")
    }

    @Test("a ThumbHash alone has no picture to show")
    func hash() throws {
        let view = try #require(InlineView(of: "one", in: Self.payload(["thumbhash": "AAAA"])))
        #expect(view.url == nil)
        #expect(view.size.hasSuffix("a ThumbHash"))
    }

    @Test("nothing where the payload has nothing", arguments: [payload(nil), ["attachments": 3], [:]])
    func nothing(payload: JSONValue) { #expect(InlineView(of: "one", in: payload) == nil) }
}
