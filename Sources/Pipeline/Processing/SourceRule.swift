import Media
import Values

/// What the operator says of some URLs: which parts of their query have nothing to do with what they lead to, such as
/// signatures and expiry times, and which part of their path names the tenant of a shared host.
///
/// Sources are told apart without those parts. What is asked for is always the URL as the sender gave it.
package struct SourceRule: Sendable, Equatable {
    /// What the URL is like up to its query; `*` stands for any characters.
    package var match: String
    /// The names of the query's fields that don't count; `*` stands for any characters.
    package var ignoredQuery: [String]
    /// How many of the path's first segments name the tenant; 0 if the host isn't shared.
    package var tenantSegments: Int

    package init(match: String, ignoredQuery: [String] = [], tenantSegments: Int = 0) {
        self.match = match
        self.ignoredQuery = ignoredQuery
        self.tenantSegments = tenantSegments
    }

    /// `nil` if the URL is none of the rule's.
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
    /// What tells the source at `url` from others. The first rule that is for it counts; a fragment never does, for it
    /// isn't sent.
    func source(of url: String) -> String {
        let asked = url.prefix { $0 != "#" }
        for rule in self {
            if let source = rule.source(of: asked) { return source }
        }
        return String(asked)
    }
}
