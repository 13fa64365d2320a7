/// The form of a push service's request, with the push payloads in it.
package struct RequestLayout: Sendable, Equatable {
    package var mark: RequestMark
    /// The payloads for Apple's devices. Dialects of payloads find the attachments in each of them.
    package var payloads: JSONPattern?
    /// The gate rule. Its wildcards take the values of those of `payloads`, or of the path.
    package var gate: GateRule
    /// The pattern for the category of the notification. Its wildcards work as in `gate`.
    package var category: JSONPattern?
    package var measure: Measure

    /// The part of a request to which the push service's limit applies.
    package struct Measure: Sendable, Equatable {
        /// The pattern for the values to measure. Each match is measured by itself.
        package var root: JSONPattern
        /// Sums of parts below the root. The largest sum counts, each part in compact JSON.
        package var sums: [[JSONPattern]]
        /// The bytes that the push service adds to each sum.
        package var overhead = 0

        /// A measure of the whole, in compact JSON.
        package static let whole = Measure(root: "", sums: [[""]])
        /// A measure without a limit.
        package static let nothing = Measure(root: "", sums: [])

        func byteCount(of payload: JSONValue) -> Int {
            let sizes = root.matches(in: payload).flatMap { root in
                sums.map { parts in
                    parts.flatMap { $0.matches(in: root.value) }.reduce(overhead) { $0 + $1.value.compactBytes.count }
                }
            }
            return sizes.max() ?? 0
        }
    }

    /// A layout of any JSON, as the user's own sender writes it. attachd does not know its size limit.
    package static let anything = RequestLayout(
        mark: [],
        payloads: nil,
        gate: .alwaysOpen,
        category: "/aps/category",
        measure: .nothing,
    )

    /// The push payload itself, as APNs gets it.
    package static let payload = RequestLayout(
        mark: "/aps",
        payloads: "",
        gate: GateRule(mutableContent: ["/aps/mutable-content"], alerts: ["/aps/alert"]),
        category: "/aps/category",
        measure: .whole,
    )
}

// MARK: - Marks

/// The values that identify requests to one service. No other JSON has all of them.
///
/// In the literal each inner array is one condition, and any of its patterns meets it: `[["/token", "/topic"],
/// ["/notification"]]` is a token or a topic, and a notification. An empty array is a mark that any JSON has.
package struct RequestMark: Sendable, Equatable {
    private var conditions: [[JSONPattern]]
    /// The patterns for values that other services' requests have, and this one's never.
    private var foreign: [JSONPattern] = []
    /// The patterns for values that only this service's requests have. A request must have one of them.
    private var own: [JSONPattern] = []
    /// Those of them that only a text meets.
    private var texts: [JSONPattern] = []

    /// A Boolean value that indicates whether any JSON has the mark.
    var isEverywhere: Bool { conditions.isEmpty }

    /// Returns the mark of requests that have a value at one of `patterns`, or a text at one of `texts`.
    func with(_ patterns: [JSONPattern], texts: [JSONPattern]) -> RequestMark {
        var mark = self
        (mark.own, mark.texts) = (patterns + texts, texts)
        return mark
    }

    /// Returns the mark of requests that have no value at any of `patterns`.
    func without(_ patterns: [JSONPattern]) -> RequestMark {
        var mark = self
        mark.foreign = patterns
        return mark
    }

    /// Returns the reason why `value` does not have the mark, or `nil` if it does. A caller that names the service
    /// overrules what is foreign to it, and need not prove it.
    package func objection(to value: JSONValue, isNamed: Bool = false) -> String? {
        if let missing = conditions.first(where: { $0.allSatisfy { $0.matches(in: value).isEmpty } }) {
            return "there is no \(missing.map(\.description).joined(separator: " or "))"
        }
        guard !isNamed else { return nil }
        let isCertain = own.contains { pattern in
            pattern.matches(in: value).contains { match in
                // A reference to a file, and not a number in quotes.
                !texts.contains(pattern) || match.value.text?.contains("/") == true
            }
        }
        guard own.isEmpty || isCertain else { return "there is no \(own.map(\.description).joined(separator: " or "))" }
        guard let other = foreign.first(where: { !$0.matches(in: value).isEmpty }) else { return nil }
        return "\(other) marks a request to another service"
    }
}

extension RequestMark: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    package init(stringLiteral pattern: String) { conditions = [[JSONPattern(stringLiteral: pattern)]] }
    package init(arrayLiteral conditions: [JSONPattern]...) { self.conditions = conditions }
}

// MARK: - Gates

/// The decision whether a payload may be rewritten. The system runs a service extension only for an alert that is marked
/// mutable.
package enum Eligibility: String, Sendable, Equatable {
    case open
    /// `mutable-content` is neither 1 nor `true`.
    case notMutable
    /// The notification shows no alert: it is silent, or has a sound or badge only.
    case noAlert
    /// A string has a surrogate without its pair. No device would read the rewritten payload as the sender meant it.
    case notUnicode

    package var explanation: String {
        switch self {
        case .open: "the content is mutable, and an alert shows"
        case .notMutable: "mutable-content is neither 1 nor true"
        case .notUnicode: "a string has a surrogate without its pair, which is not a character"
        case .noAlert: "no alert shows: it is missing, or has no text"
        }
    }
}

/// The rule that decides by a notification's mutable mark and the text of its alert.
package struct GateRule: Sendable, Equatable {
    /// The patterns for the mutable mark, any of which may have it. The list is empty for platforms that have no such
    /// key, and for services that set it themselves.
    package var mutableContent: [JSONPattern] = []
    /// The patterns for the alerts: strings, or objects like `aps.alert`. One visible alert is enough. If the list is
    /// empty, no alert is needed.
    package var alerts: [JSONPattern]

    /// The rule for platforms whose notifications show pictures without conditions.
    package static let alwaysOpen = GateRule(alerts: [])

    func gate(in payload: JSONValue, filling wildcards: [String]) -> Eligibility {
        func value(_ pattern: JSONPattern) -> JSONValue? { payload.value(at: pattern.pointer(filling: wildcards)) }
        guard mutableContent.isEmpty || mutableContent.contains(where: { value($0)?.isYes == true }) else {
            return .notMutable
        }
        guard !alerts.isEmpty else { return .open }
        return alerts.contains { value($0)?.showsAlert == true } ? .open : .noAlert
    }
}

extension JSONValue {
    /// A Boolean value that indicates whether this is the text of an alert, or an alert object with text. Localised
    /// text is in the app, where a key names it.
    fileprivate var showsAlert: Bool {
        let keys = ["title", "subtitle", "body", "title-loc-key", "subtitle-loc-key", "loc-key"]
        return hasText || keys.contains { self[$0]?.hasText == true }
    }

    private var hasText: Bool { text.map { !$0.isEmpty } ?? false }
}
