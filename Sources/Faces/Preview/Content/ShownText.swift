import Payloads

/// A text of a notification: the shown text, or the key of the app's localized text.
package struct ShownText: Sendable, Equatable {
    package var text: String
    /// A Boolean value that indicates whether the text is a key for the app to localize. Its arguments follow in
    /// parentheses.
    package var isKey: Bool

    package init(_ text: String, isKey: Bool = false) {
        self.text = text
        self.isKey = isKey
    }

    /// Reads the text at `key` of an alert, or the localization key at `locKey`. Returns `nil` if the alert has
    /// neither.
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
