/// Whether a payload may be rewritten: the system runs a service extension only for an alert that says it is mutable.
package enum Eligibility: String, Sendable, Equatable {
    case open
    /// `mutable-content` is neither 1 nor `true`.
    case notMutable
    /// No alert shows: a silent push, or one with sound or badge only.
    case noAlert
    /// A string has a surrogate without its pair: no device would read the rewritten payload as the sender meant it.
    case notUnicode

    package var explanation: String {
        switch self {
        case .open: "the content is mutable, and an alert shows"
        case .notMutable: "mutable-content is neither 1 nor true"
        case .notUnicode: "a surrogate stands without its pair in a string, which is not a character"
        case .noAlert: "no alert shows: it is missing, or has no text"
        }
    }
}

/// Where a notification says that it is mutable, and where the text of its alert stands.
package struct GateRule: Sendable, Equatable {
    /// `nil` for platforms that have no such key.
    package var mutableContent: JSONPattern?
    /// Strings, or objects like `aps.alert`; one that shows is enough. None: an alert need not show.
    package var alerts: [JSONPattern]

    package init(mutableContent: JSONPattern?, alerts: [JSONPattern]) {
        self.mutableContent = mutableContent
        self.alerts = alerts
    }

    /// For platforms whose notifications show pictures without further ado.
    package static let alwaysOpen = GateRule(mutableContent: nil, alerts: [])

    func gate(in payload: JSONValue, filling wildcards: [String]) -> Eligibility {
        func value(_ pattern: JSONPattern) -> JSONValue? { payload.value(at: pattern.pointer(filling: wildcards)) }
        if let mutableContent, value(mutableContent)?.isYes != true { return .notMutable }
        guard !alerts.isEmpty else { return .open }
        return alerts.contains { value($0)?.showsAlert == true } ? .open : .noAlert
    }
}

extension JSONValue {
    /// Whether this is the text of an alert, or an alert object that has one. Localised text is in the app, where a
    /// key names it.
    fileprivate var showsAlert: Bool {
        let keys = ["title", "subtitle", "body", "title-loc-key", "subtitle-loc-key", "loc-key"]
        return hasText || keys.contains { self[$0]?.hasText == true }
    }

    private var hasText: Bool { text.map { !$0.isEmpty } ?? false }
}
