package import Base
import FoundationEssentials
package import Media
package import Payloads

/// An attachment that was made ready ahead of time: what is known about its file and its source.
package struct PreparedAttachment: Sendable, Equatable {
    package var stored: StoredFile
    package var report: RungReport
    package var source: SourceFacts
    /// The time until which notifications use it without asking the origin.
    package var until: UnixTime
}

/// The name of a prepared attachment in a fleet: workers that give it the same name would make the same file.
package struct PreparedName: Sendable, Hashable {
    /// The identity of the source.
    package var source: String
    /// The wishes for the output as JSON, every one of them: a wish that was left out would give two files one name.
    package var output: String

    init?(_ key: AttachmentKey) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let json = try? encoder.encode(key.output) else { return nil }
        source = key.source
        output = String(decoding: json, as: UTF8.self)
    }
}

// MARK: - The fleet's index

/// The index of attachments that any worker of the fleet made ready ahead of time. Their files are in the bucket that all
/// workers publish to.
///
/// It is asked before each download, so it answers soon, or not at all: without an answer the attachment is made again.
package protocol PreparedIndex: Sendable {
    /// Returns the attachment with that name, or `nil` if there is none or the index cannot tell within `timeout`.
    func find(_ name: PreparedName, within timeout: Duration) async -> PreparedAttachment?

    /// Adds an attachment. Returns `false` if the index does not take it within `timeout`: other workers then make it
    /// themselves.
    func add(_ attachment: PreparedAttachment, as name: PreparedName, within timeout: Duration) async -> Bool

    /// Removes all attachments of that source. If this fails, the entries stay, but workers refuse their files.
    func forget(source: String) async
}

// MARK: - JSON

/// The form in which the fleet's index keeps a prepared attachment. All programs with access to the index could write it,
/// so every value is checked.
extension PreparedAttachment {
    package var json: JSONValue {
        .object([
            .init("name", .string(stored.identifier)),
            .init("sha256", stored.sha256.map { .string($0) } ?? .null),
            .init("until", .integer(until.seconds)),
            .init("rung", .string(report.rung.rawValue)),
            .init("format", .string(report.format.rawValue)),
            .init("bytes", .integer(report.byteCount)),
            .init("width", .optional(report.width)),
            .init("height", .optional(report.height)),
            .init("frames", .optional(report.frames)),
            .init("duration", .optional(report.durationMilliseconds)),
            .init("focus", report.focus.map { .array([.number("\($0.x)"), .number("\($0.y)")]) } ?? .null),
            .init("inline", report.inline.map(\.json) ?? .null),
            .init("source", source.json),
        ])
    }

    /// Reads an entry of the index. Returns `nil` if it is not valid. `url` is the file's URL for phones.
    package init?(_ json: JSONValue, url: (_ name: String) -> String) {
        guard let name = json["name"]?.text, let sha256 = json["sha256"]?.text,
            sha256.wholeMatch(of: /[0-9a-f]{64}/) != nil,
            let until = json["until"]?.count, let rung = json["rung"]?.text.flatMap(Rung.init),
            let format = json["format"]?.text.flatMap(OutputFormat.init), let byteCount = json["bytes"]?.count,
            let source = json["source"].flatMap(SourceFacts.init)
        else { return nil }
        let inline = json["inline"] ?? .null
        guard inline == .null || InlinePicture(inline) != nil else { return nil }
        self.init(
            stored: StoredFile(identifier: name, url: url(name), sha256: sha256),
            report: RungReport(
                rung: rung,
                format: format,
                byteCount: byteCount,
                width: json["width"]?.count,
                height: json["height"]?.count,
                frames: json["frames"]?.count,
                durationMilliseconds: json["duration"]?.count,
                focus: FocalPoint(json["focus"] ?? .null),
                inline: InlinePicture(inline),
            ),
            source: source,
            until: UnixTime(seconds: until),
        )
    }
}

extension JSONValue {
    /// A number of things: an integer from 0 to what a file or a time can have.
    fileprivate var count: Int? {
        guard case .number(let text) = self, let number = Int(text), (0...1 << 48).contains(number) else { return nil }
        return number
    }

    fileprivate var base64: [UInt8]? { text.flatMap { Data(base64Encoded: $0) }.map { Array($0) } }

    fileprivate static func base64(_ bytes: [UInt8]) -> JSONValue { .string(Data(bytes).base64EncodedString()) }
}

extension FocalPoint {
    fileprivate init?(_ json: JSONValue) {
        guard case .array(let parts) = json, parts.count == 2, let x = parts[0].double, let y = parts[1].double else {
            return nil
        }
        self.init(x: x, y: y)
    }
}

extension InlinePicture {
    fileprivate var json: JSONValue {
        .object([
            .init("thumbhash", .base64(thumbHash)), .init("format", .string(format.rawValue)),
            .init("pictures", .array(pictures.map { .base64($0) })),
        ])
    }

    fileprivate init?(_ json: JSONValue) {
        guard let hash = json["thumbhash"]?.base64, Self.isThumbHash(hash),
            let format = json["format"]?.text.flatMap(OutputFormat.init), format.properties.isListed,
            case .array(let parts)? = json["pictures"], parts.count <= Self.pictureLimit
        else { return nil }
        let pictures = parts.compactMap(\.base64).filter { (1...Self.byteLimit).contains($0.count) }
        guard pictures.count == parts.count else { return nil }
        self.init(thumbHash: hash, format: format, pictures: pictures)
    }
}

extension SourceFacts {
    fileprivate var json: JSONValue {
        .object([
            .init("format", format.map { .string($0.rawValue) } ?? .null),
            .init("bytes", .optional(byteCount)),
            .init("width", .optional(report?.width)),
            .init("height", .optional(report?.height)),
            .init("frames", .optional(report?.frames)),
            .init("duration", .optional(report?.durationMilliseconds)),
        ])
    }

    fileprivate init?(_ json: JSONValue) {
        guard let format = json["format"]?.text.flatMap(MediaFormat.init(rawValue:)) else { return nil }
        self.init()
        self.format = format
        byteCount = json["bytes"]?.count
        report = SourceReport(
            width: json["width"]?.count,
            height: json["height"]?.count,
            frames: json["frames"]?.count,
            durationMilliseconds: json["duration"]?.count,
        )
    }
}
