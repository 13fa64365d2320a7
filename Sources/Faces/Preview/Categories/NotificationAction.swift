/// A button below an expanded notification, like `UNNotificationAction` or `UNTextInputNotificationAction`.
package struct NotificationAction: Sendable, Equatable {
    /// `UNNotificationActionOptions`.
    package enum Option: String, Sendable, CaseIterable {
        case authenticationRequired, destructive, foreground
    }

    package struct TextInput: Sendable, Equatable {
        package var buttonTitle: String
        package var placeholder: String

        package init(buttonTitle: String = "Send", placeholder: String = "") {
            self.buttonTitle = buttonTitle
            self.placeholder = placeholder
        }
    }

    package var identifier: String
    package var title: String
    package var options: Set<Option>
    package var textInput: TextInput?

    package init(identifier: String, title: String, options: Set<Option> = [], textInput: TextInput? = nil) {
        self.identifier = identifier
        self.title = title
        self.options = options
        self.textInput = textInput
    }

    /// The identifier of a tap on the notification itself: `UNNotificationDefaultActionIdentifier`.
    package static let defaultIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"
    /// The identifier of a dismissal: `UNNotificationDismissActionIdentifier`.
    package static let dismissIdentifier = "com.apple.UNNotificationDismissActionIdentifier"
}
