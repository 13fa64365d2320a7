import Foundation
import Payloads
import Support
import Testing

@Suite("Sample payloads")
struct SampleTests {
    static let folder = SharedMedia.packageRoot.appending(path: "Samples/payloads")
    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.hasSuffix(".json") }.sorted()

    @Test("each asks for a picture, in the dialect that it is named for", arguments: names)
    func asks(name: String) throws {
        let bytes = [UInt8](try Data(contentsOf: Self.folder.appending(path: name)))
        let request = try PayloadReader().read(bytes, identifier: "n")
        let dialect = name == "photo.json" ? "my-attachment" : String(name.dropLast(".json".count))
        #expect(request.explanation.dialects.contains(dialect))
        #expect(Set(request.attachments.map(\.url)) == ["http://127.0.0.1:8099/photo.jpg"])
    }

    @Test("there is one for a plain payload")
    func photo() { #expect(Self.names.contains("photo.json")) }
}
