import FoundationEssentials
import Media
import Payloads
import Processing

/// One line of `manifest.jsonl`: the result for one file of the input.
///
/// It has these members and then those of a processing result, without the payload:
/// - `path`: the file's path, relative to the input. `pathBytes` is the same in base64 if the path is not UTF-8.
/// - `output`: the output's path, relative to the output folder, or `null` if there is no output. `outputBytes`
/// likewise.
/// - `sha256`: the SHA-256 of the file, or `null` if it was not read to its end because it is not media.
/// - `bytes`: the file's size, if it is media.
/// - `options`: the fingerprint of the profile.
/// - `outcome` may also be `skipped`, for a link, a pipe or a device.
package struct ManifestLine: Sendable {
    /// The input of a conversion: the content and the options. Equal inputs have equal results.
    struct Content: Sendable, Equatable {
        var sha256: String
        var byteCount: Int
        var options: String
    }

    private(set) var json: JSONValue

    init(json: JSONValue) { self.json = json }

    /// Creates the line for the pipeline's result.
    init(_ path: RelativePath, _ content: Content?, _ members: [JSONValue.Member]) {
        var all = Self.members("path", path)
        all.append(.init("output", .null))
        all.append(.init("sha256", content.map { .string($0.sha256) } ?? .null))
        if let content {
            all += [.init("bytes", .integer(content.byteCount)), .init("options", .string(content.options))]
        }
        json = .object(all + members)
    }

    /// Creates the line for a file without an output.
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

    /// Returns the line for another file with the same content.
    func moved(to path: RelativePath) -> ManifestLine {
        guard case .object(let members) = json else { return self }
        let kept = members.filter { !["path", "pathBytes", "output", "outputBytes"].contains($0.key) }
        var line = self
        line.json = .object(Self.members("path", path) + [.init("output", .null)] + kept)
        return line
    }

    /// Sets the location and the content of the output.
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

    /// The only attachment of the file.
    var attachment: JSONValue? { (try? JSONPointer("/attachments/0")).flatMap { json.value(at: $0) } }

    /// The SHA-256 of the output.
    var outputSHA256: String? { attachment?["sha256"]?.text }

    var errors: [JSONValue] {
        guard case .array(let errors)? = json["errors"] else { return [] }
        return errors
    }

    /// A Boolean value that indicates whether another attempt would have the same result, because the conversion
    /// succeeded or failed because of the content.
    var isSettled: Bool {
        guard outcome != nil, content != nil else { return false }
        return errors.allSatisfy { error in
            guard let reason = error["reason"]?.text.flatMap(AttachmentFailure.Reason.init) else { return false }
            return !Self.passing.contains(reason)
        }
    }

    /// Returns whether both lines have the same result for the same file, apart from timings.
    func saysTheSame(as other: ManifestLine) -> Bool {
        path == other.path && json["outcome"] == other.json["outcome"] && errors == other.errors
            && content == other.content
    }

    /// The reasons of temporary failures.
    private static let passing: Set<AttachmentFailure.Reason> = [
        .timedOut, .cancelled, .stalled, .decoderDied, .decoderUnavailable, .storeFull, .storeFailed, .sourceChanged,
        .internalError, .invalidURL, .workerStopped,
    ]

    private func path(_ name: String) -> RelativePath? {
        let bytes = json["\(name)Bytes"]?.text.flatMap { Data(base64Encoded: $0) }.map { RelativePath([UInt8]($0)) }
        let path = bytes ?? json[name]?.text.map { RelativePath($0) }
        // A manipulated journal must not lead out of the folder, because it decides which files are replaced and
        // removed.
        return path.flatMap { $0.staysBelow ? $0 : nil }
    }
}
