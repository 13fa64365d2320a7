import Foundation
import Media
import Payloads
import Processing

/// One line of `manifest.jsonl`: what became of one file of the input.
///
/// It is a result as every face of attachd gives it, without the payload, after these:
/// - `path`: the file, relative to the input. `pathBytes` is the same in base64 where that is no UTF-8.
/// - `output`: what was made of it, relative to the output; `null` if nothing was. `outputBytes` likewise.
/// - `sha256`: of the file; `null` where it wasn't read to its end, because it is no media.
/// - `bytes`: the file's size, where it is media.
/// - `options`: the fingerprint of the profile it was made with.
/// - `outcome` may be `skipped` too: a link, a pipe, a device.
package struct ManifestLine: Sendable {
    /// What a result would be made again from: the content and the options.
    struct Content: Sendable, Equatable {
        var sha256: String
        var byteCount: Int
        var options: String
    }

    private(set) var json: JSONValue

    init(json: JSONValue) { self.json = json }

    /// What the pipeline made of a file.
    init(_ path: RelativePath, _ content: Content?, _ members: [JSONValue.Member]) {
        var all = Self.members("path", path)
        all.append(.init("output", .null))
        all.append(.init("sha256", content.map { .string($0.sha256) } ?? .null))
        if let content {
            all += [.init("bytes", .integer(content.byteCount)), .init("options", .string(content.options))]
        }
        json = .object(all + members)
    }

    /// A file of which nothing was made.
    init(_ path: RelativePath, _ content: Content? = nil, outcome: Outcome, because failure: AttachmentFailure) {
        self.init(
            path,
            content,
            [
                .init("outcome", .string(outcome.rawValue)), .init("attachments", .array([])),
                .init("errors", .array([failure.json()])),
            ]
        )
    }

    enum Outcome: String, Sendable, CaseIterable {
        case complete, degraded, original, skipped
    }

    /// The same for another file that has the same content.
    func moved(to path: RelativePath) -> ManifestLine {
        guard case .object(let members) = json else { return self }
        let kept = members.filter { !["path", "pathBytes", "output", "outputBytes"].contains($0.key) }
        var line = self
        line.json = .object(Self.members("path", path) + [.init("output", .null)] + kept)
        return line
    }

    /// Says where the output is, and what is in it.
    mutating func setOutput(_ path: RelativePath, url: String, sourceURL: String, sha256: String) {
        guard case .object(let members) = json else { return }
        json = .object(members.flatMap { $0.key == "output" ? Self.members("output", path) : [$0] })
        set("/attachments/0/url", url)
        set("/attachments/0/sha256", sha256)
        set("/attachments/0/source/url", sourceURL)
    }

    private mutating func set(_ pointer: String, _ text: String) {
        guard let pointer = try? JSONPointer(pointer), json.value(at: pointer) != nil else { return }
        json.set(at: pointer, to: .string(text))
    }

    static func members(_ name: String, _ path: RelativePath) -> [JSONValue.Member] {
        let text = JSONValue.Member(name, .string(path.text))
        guard !path.isUTF8 else { return [text] }
        return [text, .init("\(name)Bytes", .string(Data(path.bytes).base64EncodedString()))]
    }
}

extension ManifestLine {
    var path: RelativePath? { path("path") }
    var output: RelativePath? { path("output") }
    var outcome: Outcome? { json["outcome"]?.text.flatMap(Outcome.init) }

    var content: Content? {
        guard let sha256 = json["sha256"]?.text, let byteCount = json["bytes"]?.whole,
            let options = json["options"]?.text
        else { return nil }
        return Content(sha256: sha256, byteCount: byteCount, options: options)
    }

    /// The only one: each file is one attachment.
    var attachment: JSONValue? { (try? JSONPointer("/attachments/0")).flatMap { json.value(at: $0) } }

    /// The SHA-256 of the output.
    var outputSHA256: String? { attachment?["sha256"]?.text }

    var errors: [JSONValue] {
        guard case .array(let errors)? = json["errors"] else { return [] }
        return errors
    }

    /// Whether the same would come of the same content again: nothing went wrong, or it lies in the content.
    var isSettled: Bool {
        guard outcome != nil, content != nil else { return false }
        return errors.allSatisfy { error in
            guard let reason = error["reason"]?.text.flatMap(AttachmentFailure.Reason.init) else { return false }
            return !Self.passing.contains(reason)
        }
    }

    /// Whether both say the same of the same file, whatever time it took.
    func saysTheSame(as other: ManifestLine) -> Bool {
        path == other.path && json["outcome"] == other.json["outcome"] && errors == other.errors
            && content == other.content
    }

    /// Reasons that may be gone the next time.
    private static let passing: Set<AttachmentFailure.Reason> = [
        .timedOut, .cancelled, .stalled, .decoderDied, .decoderUnavailable, .storeFull, .storeFailed, .sourceChanged,
        .internalError, .invalidURL,
    ]

    private func path(_ name: String) -> RelativePath? {
        let bytes = json["\(name)Bytes"]?.text.flatMap { Data(base64Encoded: $0) }.map { RelativePath([UInt8]($0)) }
        let path = bytes ?? json[name]?.text.map { RelativePath($0) }
        // A journal that somebody changed must not lead out of the folder: files are replaced and removed by it.
        return path.flatMap { $0.staysBelow ? $0 : nil }
    }
}
