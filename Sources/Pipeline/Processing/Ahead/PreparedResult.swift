import Media
package import Payloads
import ServiceExtension
package import Timing

/// The answer to a source that was to be made ready ahead of time.
package struct PreparedResult: Sendable {
    package let request: PrepareRequest
    /// The name of the profile.
    package let profile: String
    /// The made file; `nil` if the source became none.
    package let attachment: ProcessingResult.Attachment?
    package let failure: ProcessingResult.Failure?
    /// The time until which notifications use the file; `nil` if it is not held.
    package let until: UnixTime?
    /// The reason why the file is not held, or is held on this worker only.
    package let remark: String?

    /// A Boolean value that indicates whether notifications until then need no download.
    package var isReady: Bool { until != nil }

    init(_ request: PrepareRequest, _ profile: Profile, _ result: SourceResult, until: UnixTime?, _ remark: String?) {
        self.request = request
        self.profile = profile.name
        attachment = result.attachment
        failure = result.failure
        self.until = until
        self.remark = remark
    }

    package var json: JSONValue {
        .object([
            .init("source", .string(request.source)),
            .init("profile", .string(profile)),
            .init("ready", .bool(isReady)),
            .init("until", until.map { .string(RFC3339Time($0).description) } ?? .null),
            .init("attachment", attachment?.json ?? .null),
            .init("error", failure?.json ?? .null),
            .init("remark", remark.map { .string($0) } ?? .null),
        ])
    }
}
