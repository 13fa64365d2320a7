import Media
import Values

/// An operator's rule about URLs: the query fields that do not change the content, such as signatures and expiry times,
/// and the path segments that name the tenant of a shared host.
///
/// The identity of a source leaves out those fields. The request always uses the URL as the sender gave it.
package struct SourceRule: Sendable, Equatable {
    /// The pattern of the URL up to its query. `*` matches any characters.
    package var match: String
    /// The names of the query fields to ignore. `*` matches any characters.
    package var ignoredQuery: [String]
    /// The number of leading path segments that name the tenant; 0 if the host is not shared.
    package var tenantSegments: Int

    package init(match: String, ignoredQuery: [String] = [], tenantSegments: Int = 0) {
        self.match = match
        self.ignoredQuery = ignoredQuery
        self.tenantSegments = tenantSegments
    }

    /// Returns the identity of the source at `url`; `nil` if the rule does not match it.
    func source(of url: Substring) -> String? {
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard Wildcard.matches(parts[0].utf8, match.utf8) else { return nil }
        guard parts.count > 1 else { return String(url) }
        let fields = parts[1].split(separator: "&", omittingEmptySubsequences: false).filter { field in
            let name = field.utf8.prefix { $0 != UInt8(ascii: "=") }
            return !ignoredQuery.contains { Wildcard.matches(name, $0.utf8) }
        }
        return fields.isEmpty ? String(parts[0]) : "\(parts[0])?\(fields.joined(separator: "&"))"
    }
}

extension [SourceRule] {
    /// Returns the identity of the source at `url`. The first rule that matches counts. Fragments never count, because
    /// clients do not send them.
    func source(of url: String) -> String {
        let asked = url.prefix { $0 != "#" }
        for rule in self {
            if let source = rule.source(of: asked) { return source }
        }
        return String(asked)
    }
}
