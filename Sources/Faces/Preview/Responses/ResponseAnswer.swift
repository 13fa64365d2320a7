package import Payloads

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
