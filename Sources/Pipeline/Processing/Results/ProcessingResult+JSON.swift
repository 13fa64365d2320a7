package import Media
package import Payloads
import ServiceExtension
import Timing

extension ProcessingResult {
    /// The result as CONTRACT defines it: times in milliseconds, sizes in bytes, pixels after the orientation is
    /// applied.
    package var json: [UInt8] {
        let remarks = JSONValue.array(remarks.map { .string($0) })
        var members = JSONValue.members(
            identifier,
            outcome,
            attachments,
            failures,
            timings: timings,
            margin: margin,
        )
        if remarks != [] { members.append(.init("remarks", remarks)) }
        members.insert(.init("payload", payloadValue), at: 2)
        return JSONValue.object(members).compactBytes
    }
}

extension SourceResult {
    /// The members of the result's JSON: those of a notification's result, without a payload.
    package var members: [JSONValue.Member] {
        JSONValue.members(
            identifier,
            outcome,
            [attachment].compactMap(\.self),
            [failure].compactMap(\.self),
            timings: timings,
            margin: margin,
        )
    }
}

extension JSONValue {
    /// Returns the members that the results of notifications and of single sources have in common.
    fileprivate static func members(
        _ identifier: String,
        _ outcome: ProcessingResult.Outcome,
        _ attachments: [ProcessingResult.Attachment],
        _ failures: [ProcessingResult.Failure],
        timings: [ProcessingResult.Timing],
        margin: Duration,
    ) -> [Member] {
        [
            .init("id", .string(identifier)),
            .init("outcome", .string(outcome.rawValue)),
            .init("attachments", .array(attachments.map(\.json))),
            .init("errors", .array(failures.map(\.json))),
            .init("timings", .object(timings.map { .init($0.stage, .integer($0.milliseconds)) })),
            .init("margin", .integer(margin.milliseconds)),
        ]
    }
}

extension ProcessingResult.Attachment {
    var json: JSONValue {
        .object([
            .init("identifier", .string(identifier)),
            .init("url", .string(stored.url)),
            .init("type", .string(report.format.typeIdentifier)),
            .init("mime", .string(report.format.mimeType)),
            .init("bytes", .integer(report.byteCount)),
            .init("sha256", .string(stored.sha256)),
            .init("width", .optional(report.width)),
            .init("height", .optional(report.height)),
            .init("duration", .optional(report.durationMilliseconds)),
            .init("frames", .optional(report.frames)),
            .init("rung", .string(report.rung.rawValue)),
            .init("source", sourceJSON),
        ])
    }

    private var sourceJSON: JSONValue {
        .object([
            .init("url", .string(sourceURL)),
            .init("mime", source.format.map { .string($0.mimeType) } ?? .null),
            .init("bytes", .optional(source.byteCount)),
            .init("fetched", .integer(source.fetched)),
            .init("width", .optional(source.report?.width)),
            .init("height", .optional(source.report?.height)),
            .init("duration", .optional(source.report?.durationMilliseconds)),
        ])
    }
}

extension ProcessingResult.Failure {
    var json: JSONValue { failure.json(attachment: attachment) }
}

extension AttachmentFailure {
    /// Returns the failure as an element of a result's `errors`.
    package func json(attachment: String? = nil) -> JSONValue {
        .object([
            .init("code", .optional(code?.rawValue)),
            .init("name", .string(code?.name ?? reason.rawValue)),
            .init("reason", .string(reason.rawValue)),
            .init("attachment", attachment.map { .string($0) } ?? .null),
            .init("message", .string(message)),
        ])
    }
}

extension JSONValue {
    static func optional(_ value: Int?) -> JSONValue { value.map { .integer($0) } ?? .null }
}
