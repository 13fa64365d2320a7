/// The verdict whether a payload may be rewritten. The system runs a service extension only for an alert that is marked
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
    package var mutableContent: [JSONPattern]
    /// The patterns for the alerts: strings, or objects like `aps.alert`. One visible alert is enough. If the list is
    /// empty, no alert is needed.
    package var alerts: [JSONPattern]

    package init(mutableContent: [JSONPattern] = [], alerts: [JSONPattern]) {
        self.mutableContent = mutableContent
        self.alerts = alerts
    }

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
