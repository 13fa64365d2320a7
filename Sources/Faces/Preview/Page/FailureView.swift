import Media
import Processing

/// A failure as text.
struct FailureView {
    /// The reason, as in results and metrics.
    var name: String
    /// The error that an app would have for the attachment, which is the same for several reasons.
    var code: String?
    /// The attachment that failed, or `nil` for the payload itself.
    var attachment: String?
    var message: String

    init(_ failure: ProcessingResult.Failure) {
        name = failure.failure.reason.rawValue
        code = failure.failure.code.map { "\($0.name) (\($0.rawValue))" }
        attachment = failure.attachment
        message = failure.failure.message
    }
}
