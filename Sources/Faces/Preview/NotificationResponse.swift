package import Payloads

/// A user's response to a notification, like `UNNotificationResponse`. It is the body of `POST /v1/responses`.
///
/// `{"actionIdentifier", "userText"?, "notification": {"identifier", "payload"}}`
package struct NotificationResponse: Sendable, Equatable {
    package let actionIdentifier: String
    /// The entered text, for an action with text input only.
    package let userText: String?
    package let requestIdentifier: String
    package let content: ShownContent

    package init(_ bytes: [UInt8], categories: [NotificationCategory]) throws(ResponseError) {
        guard let value = try? JSONValue(parsing: bytes) else { throw .notJSON }
        guard let action = value["actionIdentifier"]?.text, !action.isEmpty,
            let notification = value["notification"], let payload = notification["payload"], payload.isObject,
            let identifier = notification["identifier"]?.text, !identifier.isEmpty
        else { throw .malformed(Self.form) }
        switch value["userText"] {
        case nil: userText = nil
        case .string(let text)?: userText = text
        default: throw .malformed("\"userText\" must be a string. Leave it out for an action without text input.")
        }
        actionIdentifier = action
        requestIdentifier = identifier
        content = ShownContent(payload)
        let category = categories.first { $0.identifier == content.categoryIdentifier }
        try check(category?.actions ?? [])
    }

    private static let form =
        "Send {\"actionIdentifier\": …, \"userText\": … for text input, \"notification\": {\"identifier\": …, \"payload\": {…}}}."

    private func check(_ actions: [NotificationAction]) throws(ResponseError) {
        let system = [NotificationAction.defaultIdentifier, NotificationAction.dismissIdentifier]
        let action = actions.first { $0.identifier == actionIdentifier }
        guard action != nil || system.contains(actionIdentifier) else {
            let known = (actions.map(\.identifier) + system).joined(separator: ", ")
            let category =
                content.categoryIdentifier.map { "The category \"\($0)\"" } ?? "A notification without a category"
            throw .malformed("\(category) has no action \"\(actionIdentifier)\". It has: \(known).")
        }
        guard (action?.textInput != nil) == (userText != nil) else {
            let rule = userText == nil ? "needs the user's text in" : "does not take"
            throw .malformed("The action \"\(actionIdentifier)\" \(rule) \"userText\".")
        }
    }

    /// The message to the webhook: the response with the notification's content as the app would see it.
    package var message: [UInt8] {
        var members = [JSONValue.Member("actionIdentifier", .string(actionIdentifier))]
        if let userText { members.append(.init("userText", .string(userText))) }
        let notification: JSONValue = ["identifier": .string(requestIdentifier), "content": content.json]
        return JSONValue.object(members + [.init("notification", notification)]).compactBytes
    }
}

/// An invalid response, or an invalid answer to a response.
package enum ResponseError: Error, Sendable, Equatable, CustomStringConvertible {
    case notJSON
    case malformed(String)

    package var description: String {
        switch self {
        case .notJSON: "It is not JSON."
        case .malformed(let message): message
        }
    }
}

// MARK: - The webhook's answer

/// The webhook's answer to a response, which decides what happens to the notification.
///
/// `{"option": "doNotDismiss" | "dismiss" | "dismissAndForwardAction", "content"?: {"title"?, "subtitle"?, "body"?,`
/// `"userInfo"?: {…}}}`. The content replaces the shown one, and members of `userInfo` replace those of the same name.
package struct ResponseAnswer: Sendable, Equatable {
    /// `UNNotificationContentExtensionResponseOption`.
    package enum Option: String, Sendable, CaseIterable {
        case doNotDismiss, dismiss, dismissAndForwardAction
    }

    package var option: Option
    /// An update of the shown content, before the notification is dismissed.
    package var content: JSONValue?

    package init(_ option: Option, content: JSONValue? = nil) {
        self.option = option
        self.content = content
    }

    private static let texts = ["title", "subtitle", "body"]

    package init(parsing bytes: [UInt8]) throws(ResponseError) {
        guard let value = try? JSONValue(parsing: bytes) else { throw .notJSON }
        guard let option = value["option"]?.text.flatMap(Option.init) else {
            let known = Option.allCases.map(\.rawValue).joined(separator: ", ")
            throw .malformed("Its \"option\" must be one of: \(known).")
        }
        self.init(option, content: value["content"] == .null ? nil : value["content"])
        guard case .object(let members)? = content else {
            guard content == nil else { throw .malformed("Its \"content\" is not an object.") }
            return
        }
        for member in members {
            switch member.key {
            case "userInfo": guard member.value.isObject else { throw .malformed("Its \"userInfo\" is not an object.") }
            case let key where Self.texts.contains(key):
                guard member.value.text != nil else { throw .malformed("Its \"\(key)\" is not a text.") }
            default:
                throw .malformed("Its \"content\" can have title, subtitle, body and userInfo, not \"\(member.key)\".")
            }
        }
    }

    package var json: [UInt8] {
        JSONValue.object(
            [.init("option", .string(option.rawValue))] + (content.map { [.init("content", $0)] } ?? [])
        )
        .compactBytes
    }
}
