package import Payloads

/// What a layout's tags stand for: a notification's content as JSON, and where its attachments are fetched.
package struct LayoutContent {
    let fields: [String: Any]

    /// `content` has title, subtitle, body and so on, `userInfo` and a list of `attachments`.
    package init(_ content: JSONValue) { fields = content.mustacheValue as? [String: Any] ?? [:] }
}

extension JSONValue {
    /// For Mustache. A text that is empty is none, so that a section with its name is left out.
    fileprivate var mustacheValue: Any? {
        switch self {
        case .null, .unpaired: nil
        case .bool(let flag): flag
        case .number(let text): text
        case .string(let text): text.isEmpty ? nil : text
        case .array(let elements): elements.compactMap(\.mustacheValue)
        case .object(let members):
            Dictionary(
                members.compactMap { member in member.value.mustacheValue.map { (member.key, $0) } },
                uniquingKeysWith: { _, last in last },
            )
        }
    }
}
