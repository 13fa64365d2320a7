import Foundation
import Media
import Testing

@testable import Payloads

@Suite("Inline pictures in a payload")
struct InlinePictureTests {
    /// A ready file with every detail, whose inline pictures have 900 and 500 bytes.
    private static let ready = {
        var file = DeliveredAttachment(
            identifier: "i",
            url: "https://push.example/a/0123456789",
            byteCount: 48_211,
            sha256: String(repeating: "ab", count: 32),
            inline: InlinePicture(
                thumbHash: Array(1...24),
                pictures: [900, 500].map { [UInt8](repeating: 7, count: $0) },
            ),
        )
        file.thumbnailClippingRectangle = ClippingRectangle(x: 0.25, y: 0, width: 0.5, height: 1)
        return file
    }()

    private static func write(padding: Int, _ file: DeliveredAttachment = ready) throws -> RewrittenPayload {
        let pad = String(repeating: "x", count: padding)
        let payload =
            #"{"aps":{"alert":"Hi","mutable-content":1},"my-attachment":"https://x.example/1","pad":"\#(pad)"}"#
        let request = try PayloadWriterTests.request(payload)
        return PayloadWriter().write(request, attachments: [0: file])
    }

    private static func entry(_ written: RewrittenPayload) throws -> JSONValue {
        try #require(written.payload.value(at: JSONPointer("/attachments/0")))
    }

    @Test("an empty payload has the largest picture, as base64, beside the hash")
    func whole() throws {
        let inline = try #require(try Self.entry(Self.write(padding: 0))["inline"])
        #expect(inline["thumbhash"]?.text == Data(1...24).base64EncodedString())
        #expect(inline["type"]?.text == "image/jpeg")
        #expect(inline["data"]?.text.flatMap { Data(base64Encoded: $0)?.count } == 900)
    }

    /// The parts of an entry, of `inline`, `sha256`, `bytes` and `thumbnailClippingRect`.
    private static func details(_ entry: JSONValue) -> [String] {
        let data = entry["inline"]?["data"]?.text.flatMap { Data(base64Encoded: $0)?.count }
        let names = ["inline", "sha256", "bytes", "thumbnailClippingRect"].filter { entry[$0] != nil }
        return (data.map { ["data \($0)"] } ?? []) + names
    }

    @Test("a payload that fills up loses the picture first, then the hash, the digest, the size and the rectangle")
    func order() throws {
        var seen: [[String]] = []
        for padding in stride(from: 0, to: 4000, by: 2) {
            let written = try Self.write(padding: padding)
            #expect(written.bytes.count <= 4096)
            guard written.fit == .listed else { break }
            let details = Self.details(try Self.entry(written))
            if seen.last != details { seen.append(details) }
        }
        let all = ["inline", "sha256", "bytes", "thumbnailClippingRect"]
        #expect(
            seen == [
                ["data 900"] + all, ["data 500"] + all, all, Array(all.dropFirst()),
                ["bytes", "thumbnailClippingRect"], ["thumbnailClippingRect"], [],
            ]
        )
    }

    @Test("the picture fits to the byte")
    func exact() throws {
        let room = 4096 - (try Self.write(padding: 0)).bytes.count
        let (full, fuller) = (try Self.write(padding: room), try Self.write(padding: room + 1))
        #expect(full.bytes.count == 4096)
        #expect(Self.details(try Self.entry(full)).first == "data 900")
        #expect(Self.details(try Self.entry(fuller)).first == "data 500")
    }

    @Test("a hash alone has no data")
    func hashOnly() throws {
        var file = Self.ready
        file.report.inline = InlinePicture(thumbHash: Array(1...24))
        let inline = try #require(try Self.entry(Self.write(padding: 0, file))["inline"])
        #expect(inline == ["thumbhash": .string(Data(1...24).base64EncodedString())])
    }

    @Test("a file that phones cannot fetch leaves the sender's URL, and has only its inline picture in the array")
    func unreachable() throws {
        var file = Self.ready
        file.stored.isLocal = true
        let written = try Self.write(padding: 0, file)
        #expect(written.payload["my-attachment"]?.text == "https://x.example/1")
        let entry = try Self.entry(written)
        #expect(entry["identifier"] == "i" && Self.details(entry) == ["data 900", "inline"])
        #expect(entry["url"] == nil && entry["type"] == nil)
    }

    @Test("a file that phones cannot fetch and that has no inline picture leaves the payload byte for byte")
    func unreachableWithoutPicture() throws {
        var file = Self.ready
        (file.stored.isLocal, file.report.inline) = (true, nil)
        let payload = #" {"aps":{"alert":"Hi","mutable-content":1}, "my-attachment":"https://x.example/1"} "#
        let written = PayloadWriter().write(try PayloadWriterTests.request(payload), attachments: [0: file])
        #expect(written.bytes == Array(payload.utf8) && written.fit != .original && written.failure == nil)
    }
}
