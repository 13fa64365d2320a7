import Foundation
import Payloads
import Support
import Testing

@Suite("The payload's limit", .timeLimit(.minutes(10)))
struct ExactFitTests {
    let attachd: AttachdProgram
    static let photo = SampleMedia.photoURL.path

    init() throws { attachd = try AttachdProgram() }

    private func process(filler: Int, _ arguments: [String] = []) async throws -> AttachdProgram.Outcome {
        let text = String(repeating: "x", count: filler)
        let payload =
            #"{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"\#(Self.photo)","filler":"\#(text)"}"#
        return try await attachd.process(payload: payload, arguments)
    }

    @Test(
        "a payload that just fits is filled to the last byte, and one byte more gives the original",
        arguments: [
            ("alert", 4096), ("voip", 5120),
        ]
    )
    func exact(pushType: String, limit: Int) async throws {
        let arguments = ["--push-type", pushType]
        let empty = try await process(filler: 0, arguments)
        let list = try #require(empty.value("/payload/attachments"))
        // Names in the store have one length, so the payload's size without the list is known.
        let bare = empty.output.utf8.count - 1 - list.compactText.utf8.count - #","attachments":"#.utf8.count

        let listed = try await process(filler: limit - empty.output.utf8.count + 1, arguments)
        #expect(listed.output.utf8.count - 1 == limit && listed.value("/payload/attachments") != nil)

        let unlisted = try await process(filler: limit - bare, arguments)
        #expect(unlisted.outcome == "complete" && unlisted.output.utf8.count - 1 == limit)
        #expect(unlisted.value("/payload/attachments") == nil)
        #expect(unlisted.value("/payload/my-attachment") == unlisted.value("/attachments/0/url"))

        let tooMuch = try await process(filler: limit - bare + 1, arguments)
        #expect(tooMuch.status == 0 && tooMuch.outcome == "original")
        #expect(tooMuch.value("/payload/my-attachment")?.text == Self.photo)
        #expect(tooMuch.value("/errors/0/reason")?.text == "payloadTooLarge")
        #expect(tooMuch.value("/attachments") == [])
    }
}
