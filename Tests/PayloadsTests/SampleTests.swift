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
        let dialects = ["photo": "my-attachment", "local": "content"]
        let stem = String(name.dropLast(".json".count))
        let dialect = dialects[stem] ?? stem
        #expect(request.explanation.dialects.contains(dialect))
        let url = stem == "local" ? "Samples/media/photo.jpg" : "http://127.0.0.1:8099/photo.jpg"
        #expect(Set(request.attachments.map(\.url)) == [url])
    }

    @Test("there is one for a plain payload")
    func photo() { #expect(Self.names.contains("photo.json")) }
}
