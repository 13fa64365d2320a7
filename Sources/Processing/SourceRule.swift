/// Says of some URLs which parts of their query have nothing to do with what they lead to: signatures, expiry times.
///
/// Sources are told apart without them. What is asked for is always the URL as the sender gave it.
package struct SourceRule: Sendable, Equatable {
    /// What the URL is like up to its query; `*` stands for any characters.
    package var match: String
    /// The names of the query's fields that don't count; `*` stands for any characters.
    package var ignoredQuery: [String]

    package init(match: String, ignoredQuery: [String]) {
        self.match = match
        self.ignoredQuery = ignoredQuery
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

/// Patterns in which `*` stands for any characters, none too.
enum Wildcard {
    /// Takes time in proportion to both lengths: each `*` is tried from where the one before it succeeded.
    static func matches(_ text: Substring.UTF8View, _ pattern: String.UTF8View) -> Bool {
        var (place, next) = (text.startIndex, pattern.startIndex)
        var retry: (place: String.Index, next: String.Index)?
        while place != text.endIndex {
            if next != pattern.endIndex, pattern[next] == UInt8(ascii: "*") {
                next = pattern.index(after: next)
                retry = (place, next)
            } else if next != pattern.endIndex, pattern[next] == text[place] {
                (place, next) = (text.index(after: place), pattern.index(after: next))
            } else if let last = retry {
                (place, next) = (text.index(after: last.place), last.next)
                retry = (place, next)
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
