import Foundation
import Payloads
import Support
import Testing

@Suite("Sample payloads")
struct SampleTests {
    static let folder = SharedMedia.packageRoot.appending(path: "Samples/payloads")
    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.hasSuffix(".json") }.sorted()

    /// The dialects of the samples that aren't named for their dialect.
    private static let dialects = [
        "photo": "my-attachment", "local": "content", "event-invite": "my-attachment", "message": "my-attachment",
        "sound": "my-attachment", "animation": "wonderpush", "video": "wonderpush",
    ]

    @Test("each names one of the sample media, in its dialect", arguments: names)
    func asks(name: String) throws {
        let bytes = [UInt8](try Data(contentsOf: Self.folder.appending(path: name)))
        let request = try PayloadReader().read(bytes, identifier: "n")
        let stem = String(name.dropLast(".json".count))
        #expect(request.explanation.dialects.contains(Self.dialects[stem] ?? stem))
        let files = ["animation": "launch.gif", "video": "launch.mp4", "sound": "chime.m4a"]
        let folder = stem == "local" ? "Samples/media/" : "http://127.0.0.1:8099/"
        #expect(Set(request.attachments.map(\.url)) == [folder + (files[stem] ?? "photo.jpg")])
    }

    @Test("one sample is a plain payload")
    func photo() { #expect(Self.names.contains("photo.json")) }
}
