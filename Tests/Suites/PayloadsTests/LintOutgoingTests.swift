import Media
@testable import Payloads
import Testing

@Suite("Findings on the payload that goes on")
struct LintOutgoingTests {
    private static func codes(
        _ payload: JSONValue,
        rewritten: JSONValue? = nil,
        delivered: Set<Int> = [],
    ) throws -> [LintCode] {
        try LintTests.linter.findings(
            in: LintTests.request(payload),
            rewritten: RewrittenPayload(bytes: [], payload: rewritten ?? payload, fit: .original),
            delivered: delivered
        )
        .map(\.code)
    }

    private static func payload(_ url: String, _ aps: JSONValue = ["alert": "Hi", "mutable-content": 1]) -> JSONValue {
        ["aps": aps, "my-attachment": .string(url)]
    }

    @Test("the sender's URL counts only while it stays in the payload")
    func kept() throws {
        let payload = Self.payload("http://media.example.com/a.webm")
        #expect(try Self.codes(payload) == [.insecureURL, .formatUnsupported])
        #expect(try Self.codes(payload, rewritten: Self.payload("file:///a.mp4"), delivered: [0]) == [])
    }

    @Test("a payload that no extension would see says so, unless it is a background push")
    func gate() throws {
        let url = "https://media.example.com/a.jpg"
        #expect(try Self.codes(Self.payload(url, ["alert": "Hi"])) == [.mutableContentMissing])
        #expect(try Self.codes(Self.payload(url, ["sound": "a", "mutable-content": 1])) == [.alertMissing])
        #expect(try Self.codes(Self.payload(url, ["content-available": 1, "mutable-content": 1])) == [])
        #expect(try Self.codes(["aps": ["alert": "Hi"]]) == [])
    }

    @Test("the size is that of the payload as it goes on")
    func size() throws {
        let large: JSONValue = ["aps": ["alert": "Hi"], "filler": .string(String(repeating: "x", count: 4_100))]
        #expect(try Self.codes(large) == [.payloadTooLarge])
        #expect(try Self.codes(large, rewritten: ["aps": ["alert": "Hi"]]) == [])
    }

    @Test("notes are left out, and so is what needs the app's categories")
    func notes() throws {
        let aps: JSONValue = ["alert": "Hi", "mutable-content": 1, "category": "event-invite"]
        let several: JSONValue = ["aps": aps, "att": ["a": "https://a.example/a.jpg", "b": "https://a.example/b.jpg"]]
        #expect(try Self.codes(several) == [])
    }

    @Test("a remark begins with its code, and says where")
    func remark() throws {
        let request = try LintTests.request(Self.payload("file:///a.jpg"))
        let finding = try #require(LintTests.linter.findings(in: request).first)
        #expect(finding.remark.hasPrefix("fileURL: /my-attachment: A file: URL names"))
    }
}
