package import Payloads

/// What happens to a notification after a response: the webhook's answer.
///
/// `{"option": "doNotDismiss" | "dismiss" | "dismissAndForwardAction", "content"?: {"title"?, "subtitle"?, "body"?,`
/// `"userInfo"?: {…}}}`; the content replaces what is shown, and members of `userInfo` those of the same name.
package struct ResponseAnswer: Sendable, Equatable {
    /// `UNNotificationContentExtensionResponseOption`.
    package enum Option: String, Sendable, CaseIterable {
        case doNotDismiss, dismiss, dismissAndForwardAction
    }

    package var option: Option
    /// An update of what is shown, before anything is dismissed.
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
            throw .malformed("Its \"option\" is none of: \(known).")
        }
        self.init(option, content: value["content"] == .null ? nil : value["content"])
        guard case .object(let members)? = content else {
            guard content == nil else { throw .malformed("Its \"content\" is no object.") }
            return
        }
        for member in members {
            switch member.key {
            case "userInfo": guard member.value.isObject else { throw .malformed("Its \"userInfo\" is no object.") }
            case let key where Self.texts.contains(key):
                guard member.value.text != nil else { throw .malformed("Its \"\(key)\" is no text.") }
            default:
                throw .malformed("Its \"content\" has no \"\(member.key)\". It has: title, subtitle, body, userInfo.")
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
