import Base
import Media
import Payloads
import Testing

@Suite("Dialects")
struct DialectTests {
    @Test("a golden payload is rewritten as its file demands", arguments: Golden.all)
    func golden(_ golden: Golden) throws {
        let request = try golden.request()
        #expect(request.gate.rawValue == golden.json["gate"]?.text)
        let found = golden.elements("found")
        try #require(request.attachments.map(\.url) == found.map { $0["url"]?.text })
        #expect(request.attachments.map(\.identifier) == found.map { $0["identifier"]?.text })
        #expect(request.attachments.map(\.profile) == found.map { $0["profile"]?.text })
        for (attachment, expected) in zip(request.attachments, found) {
            check(attachment, expected)
        }
        if let first = request.attachments.first, !golden.isWrapping { #expect(first.dialect == golden.dialect) }

        let written = PayloadWriter().write(request, attachments: try golden.ready)
        #expect(written.fit.rawValue == golden.json["fit"]?.text)
        #expect(written.payload == golden.json["result"])
        #expect(written.bytes == golden.json["result"]?.compactBytes)
        #expect(written.failure == nil)
    }

    private func check(_ attachment: AttachmentRequest, _ expected: JSONValue) {
        let options = attachment.options
        #expect(options.isThumbnailHidden == (expected["hidden"] == true))
        #expect(options.thumbnailTime == expected["time"]?.double)
        #expect(options.typeHint == expected["typeHint"]?.text)
        let rectangle = options.clippingRectangle.map { [$0.x, $0.y, $0.width, $0.height] }
        let expectedRectangle: [Double]? =
            if case .array(let numbers)? = expected["clip"] { numbers.compactMap(\.double) } else { nil }
        #expect(rectangle == expectedRectangle)
        #expect(attachment.remarks.count == Int(expected["remarks"]?.double ?? 0))
    }

    @Test("every dialect exists once and names its source, and the default comes before names that anybody has")
    func table() {
        #expect(Dialect.builtIn.map(\.name).sorted() == Set(Golden.all.map(\.dialect)).subtracting(["own"]).sorted())
        #expect(Dialect.builtIn.allSatisfy { !$0.title.isEmpty && !$0.source.isEmpty && !$0.places.isEmpty })
        #expect(Dialect.builtIn.suffix(2) == [.myAttachment, .bark])
    }

    @Test(
        "every dialect has at least three golden payloads, one of which finds nothing",
        arguments: Dialect.builtIn.map(\.name)
    )
    func covered(name: String) {
        let mine = Golden.all.filter { $0.dialect == name }
        #expect(mine.count >= 3)
        #expect(mine.contains { !$0.elements("found").isEmpty })
        #expect(mine.contains { $0.elements("found").isEmpty })
    }

    @Test("every golden payload gives the same result under its dialect's name", arguments: Golden.all)
    func pinned(_ golden: Golden) throws {
        let payload = try #require(golden.json["payload"])
        let found = try golden.request().attachments.filter { $0.dialect == golden.dialect }
        let pinned = try golden.reader.read(payload, identifier: "n", dialect: golden.dialect)
        #expect(pinned.attachments.filter { $0.dialect == golden.dialect }.map(\.url) == found.map(\.url))
        #expect(pinned.explanation.choice == .pinned)
        #expect(pinned.explanation.description.contains(golden.dialect))
    }
}
