/// The values that mark requests of one service and that no other JSON has together.
///
/// In the literal each inner array is one condition, and any of its patterns meets it: `[["/token", "/topic"],
/// ["/notification"]]` is a token or a topic, and a notification. An empty array is a mark that any JSON has.
package struct RequestMark: Sendable, Equatable {
    private var conditions: [[JSONPattern]]
    /// The patterns for values that other services' requests have, and this one's never.
    private var foreign: [JSONPattern] = []

    /// A Boolean value that indicates whether any JSON has the mark.
    var isEverywhere: Bool { conditions.isEmpty }

    /// Returns the mark of requests that have none of the values at `patterns`.
    func without(_ patterns: [JSONPattern]) -> RequestMark {
        var mark = self
        mark.foreign = patterns
        return mark
    }

    /// Returns the reason why `value` does not have the mark, or `nil` if it does. A caller that names the service
    /// overrules what is foreign to it.
    package func objection(to value: JSONValue, isNamed: Bool = false) -> String? {
        if let missing = conditions.first(where: { $0.allSatisfy { $0.matches(in: value).isEmpty } }) {
            return "there is no \(missing.map(\.description).joined(separator: " or "))"
        }
        guard !isNamed, let other = foreign.first(where: { !$0.matches(in: value).isEmpty }) else { return nil }
        return "\(other) marks a request to another service"
    }
}

extension RequestMark: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    package init(stringLiteral pattern: String) { conditions = [[JSONPattern(stringLiteral: pattern)]] }
    package init(arrayLiteral conditions: [JSONPattern]...) { self.conditions = conditions }
}
