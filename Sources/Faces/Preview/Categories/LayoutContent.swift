package import Payloads

/// The values of a layout's tags: the notification's content as JSON and the URLs of its attachments.
package struct LayoutContent {
    let fields: [String: Any]

    /// Creates the values from `content`, which has title, subtitle, body and so on, `userInfo` and a list of
    /// `attachments`.
    package init(_ content: JSONValue) { fields = content.mustacheValue as? [String: Any] ?? [:] }
}

extension JSONValue {
    /// The value for Mustache. An empty text becomes `nil`, so that a section with its name is omitted.
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
