/// The values that mark requests of one service and that no other JSON has together.
///
/// In the literal each inner array is one condition, and any of its patterns meets it: `[["/token", "/topic"],
/// ["/notification"]]` is a token or a topic, and a notification.
package struct RequestMark: Sendable, Equatable {
    private var conditions: [[JSONPattern]]

    /// Returns the first condition that `value` does not meet in words, or `nil` if it meets all.
    package func missing(in value: JSONValue) -> String? {
        conditions.first { condition in condition.allSatisfy { $0.matches(in: value).isEmpty } }.map(Self.words)
    }

    func fits(_ value: JSONValue) -> Bool { missing(in: value) == nil }

    private static func words(_ condition: [JSONPattern]) -> String {
        condition.map(\.description).joined(separator: " or ")
    }
}

extension RequestMark: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    package init(stringLiteral pattern: String) { conditions = [[JSONPattern(stringLiteral: pattern)]] }
    package init(arrayLiteral conditions: [JSONPattern]...) { self.conditions = conditions }
}
