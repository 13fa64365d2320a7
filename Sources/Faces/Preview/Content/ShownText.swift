import Payloads

/// A text of a notification: as it is shown, or the key by which the app has it in the user's language.
package struct ShownText: Sendable, Equatable {
    package var text: String
    /// Whether the app translates it; then its arguments stand behind it in parentheses.
    package var isKey: Bool

    package init(_ text: String, isKey: Bool = false) {
        self.text = text
        self.isKey = isKey
    }

    /// The text at `key` of an alert, or its localised form at `key` `-loc-key`; `nil` where there is neither.
    init?(_ alert: JSONValue, _ key: String, locKey: String) {
        if let locKeyText = alert["\(locKey)-key"]?.text, !locKeyText.isEmpty {
            var arguments: [String] = []
            if case .array(let values)? = alert["\(locKey)-args"] {
                arguments = values.map { $0.text ?? $0.compactText }
            }
            let list = arguments.isEmpty ? "" : " (\(arguments.joined(separator: ", ")))"
            self.init(locKeyText + list, isKey: true)
        } else if let text = alert[key]?.text, !text.isEmpty {
            self.init(text)
        } else {
            return nil
        }
    }
}
