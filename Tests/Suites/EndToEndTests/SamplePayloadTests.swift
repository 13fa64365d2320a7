import Foundation
import Payloads
import Support
import Testing

/// Tests of each of `Samples/payloads`, run through the built program with its media.
///
/// A golden file contains the output of `--explain`, the outcome, the attachments' shapes and the rewritten payload. In
/// it `attachment-0` stands for the URL of the first file, whichever attachment it belongs to, and `generated-0` for an
/// identifier that was generated for the first attachment. `digest-0` and `bytes-0` stand for the file's SHA-256 and size,
/// which depend on the processor.
@Suite("The sample payloads, end to end", .timeLimit(.minutes(10)))
struct SamplePayloadTests {
    static let folder = SharedMedia.packageRoot.appending(path: "Samples/payloads")
    static let golden = Bundle.module.url(forResource: "Golden", withExtension: nil)
    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.hasSuffix(".json") }.sorted()

    @Test("each result equals its golden file", arguments: names)
    func golden(name: String) async throws {
        let media = SharedMedia.packageRoot.appending(path: "Samples/media")
        let origin = try OriginServer { request in
            let data = try? Data(contentsOf: media.appending(path: String(request.path.dropFirst())))
            return data.map { .body([UInt8]($0)) } ?? .status(404)
        }
        defer { origin.stop() }
        let sample = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
        let payload = sample.replacing("http://127.0.0.1:8099", with: origin.url(""))
            .replacing("Samples/media/", with: media.path + "/")

        let attachd = try AttachdProgram()
        let outcome = try await attachd.process(payload: payload, ["--explain", "--log-level", "error"])
        let expected = try Self.golden.map {
            try JSONValue(parsing: [UInt8](Data(contentsOf: $0.appending(path: name))))
        }
        let actual = try Self.summary(of: outcome, identifiersIn: sample)
        #expect(outcome.status == 0)
        #expect(actual == expected, "\(actual.compactText)")
    }

    private static func summary(of outcome: AttachdProgram.Outcome, identifiersIn sample: String) throws -> JSONValue {
        guard case .array(let attachments) = outcome.result?["attachments"] else { return .null }
        let keys = ["identifier", "type", "mime", "width", "height", "frames", "rung"]
        let summary: JSONValue = [
            "explanation": .array(outcome.errors.split(separator: "\n").map { .string(String($0)) }),
            "outcome": outcome.result?["outcome"] ?? .null,
            "attachments": .array(
                attachments.map { attachment in .object(keys.map { .init($0, attachment[$0] ?? .null) }) }
            ),
            "payload": try JSONValue(parsing: Array(outcome.output.utf8.dropLast())),
        ]
        var text = summary.compactText
        for (index, attachment) in attachments.enumerated() {
            text.replace(try #require(attachment["url"]?.text), with: "attachment-\(index)")
            let identifier = try #require(attachment["identifier"]?.text)
            text.replace(try #require(attachment["sha256"]?.text), with: "digest-\(index)")
            let byteCount = try #require(attachment["bytes"]).compactText
            text.replace("\"bytes\":\(byteCount)", with: "\"bytes\":\"bytes-\(index)\"")
            if !sample.contains("\"\(identifier)\"") { text.replace(identifier, with: "generated-\(index)") }
        }
        return try JSONValue(parsing: Array(text.utf8))
    }

    @Test("each sample has a golden file, and each golden file a sample")
    func complete() throws {
        let golden = try FileManager.default.contentsOfDirectory(atPath: try #require(Self.golden).path)
        #expect(golden.sorted() == Self.names && Self.names.count >= 8)
    }
}
