import HTTPTypes
import Media
import Payloads
import Processing
import Values

/// The outcome that the answer of `POST /v1/rewrite` tells in its header fields.
///
/// That answer is the payload itself. So it is `original` whenever the payload is as it came, also where a file was made.
struct VisibleOutcome: Sendable, Equatable {
    /// The most bytes of a reason.
    static let reasonLimit = 200

    var outcome: ProcessingResult.Outcome
    /// An `errors[].reason` or the code of a remark, a colon, and the text; `nil` if all is well. It has ASCII only, and
    /// no URLs: gateways log header fields.
    var reason: String?

    init(of result: ProcessingResult, isUnchanged: Bool) {
        outcome = isUnchanged ? .original : result.outcome
        reason = outcome == .complete ? nil : Self.reason(of: result).map(Self.headerText)
    }

    /// Creates the outcome of an item of a list that was answered with a problem.
    init(of problem: Problem) {
        let code =
            switch problem.status {
            case .contentTooLarge: "payloadTooLarge"
            case .internalServerError, .serviceUnavailable: "internalError"
            default: "attachmentMissing"
            }
        outcome = .original
        reason = Self.headerText("\(code): \(problem.detail)")
    }

    /// Returns the worst outcome of a list, with the first of its reasons.
    static func worst(of all: [VisibleOutcome]) -> VisibleOutcome? {
        ProcessingResult.Outcome.allCases.reversed().lazy.compactMap { outcome in
            let those = all.filter { $0.outcome == outcome }
            return those.first { $0.reason != nil } ?? those.first
        }
        .first
    }

    private static func reason(of result: ProcessingResult) -> String? {
        if let failure = result.failures.first?.failure { return "\(failure.reason.rawValue): \(failure.message)" }
        if let remark = result.remarks.first { return remark }
        guard result.request.notification.attachments.isEmpty else { return nil }
        return "\(LintCode.attachmentMissing.rawValue): No dialect finds an attachment in the payload."
    }

    /// Returns a text as the value of a header field: in place of each URL its host, printable ASCII only, and cut.
    static func headerText(_ text: String) -> String {
        let words = text.split(whereSeparator: \.isWhitespace).map(withoutURL)
        let ascii = words.joined(separator: " ").unicodeScalars.map { scalar -> Character in
            (0x20...0x7E).contains(scalar.value) ? Character(scalar) : "?"
        }
        guard ascii.count > reasonLimit else { return String(ascii) }
        return String(ascii.prefix(reasonLimit - 3)) + "..."
    }

    private static func withoutURL(_ word: Substring) -> Substring {
        if word.contains("data:") { return "data" }
        guard let mark = word.firstRange(of: "://") else { return word }
        let authority = word[mark.upperBound...].prefix { !"/?#\"'()<>,;\\".contains($0) }
        return authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    }
}

extension HTTPField.Name {
    static let attachdReason = named("Attachd-Reason")
}
