import Values

/// One finding of the linter: what it means, what to do, and where that is written.
package struct LintFinding: Sendable, Equatable {
    package enum Severity: String, Sendable, CaseIterable {
        /// The attachment, or the whole notification, does not show.
        case error
        /// It does not show everywhere, or not as the sender meant it.
        case warning
        /// It shows, with less than the payload has.
        case note
    }

    package var code: LintCode
    package var severity: Severity
    /// The location of the value in question, if there is one.
    package var pointer: JSONPointer?
    package var meaning: String
    package var advice: String
    /// The page or thread that says so.
    package var source: String

    init(
        _ code: LintCode,
        _ severity: Severity,
        at pointer: JSONPointer? = nil,
        _ meaning: String,
        advice: String,
        source: String,
    ) {
        self.code = code
        self.severity = severity
        self.pointer = pointer
        self.meaning = meaning
        self.advice = advice
        self.source = source
    }

    /// The finding as one of a result's remarks: the code, a colon, and the text.
    package var remark: String {
        let place = pointer.map { "\($0): " } ?? ""
        // Names of the payload, and schemes, come from outside.
        return ("\(code.rawValue): \(place)\(meaning)" + (advice.isEmpty ? "" : " \(advice)")).onOneLine(limit: 1000)
    }

    package var json: JSONValue {
        [
            "code": .string(code.rawValue), "severity": .string(severity.rawValue),
            "pointer": pointer.map { .string($0.description) } ?? .null, "meaning": .string(meaning),
            "advice": .string(advice), "source": .string(source),
        ]
    }
}
