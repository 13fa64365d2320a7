import Media
import Processing

/// A failure as text.
struct FailureView {
    var name: String
    /// The attachment that failed, or `nil` for the payload itself.
    var attachment: String?
    var message: String

    init(_ failure: ProcessingResult.Failure) {
        let code = failure.failure.code
        name = code.map { "\($0.name) (\($0.rawValue))" } ?? failure.failure.reason.rawValue
        attachment = failure.attachment
        message = failure.failure.message
    }
}
