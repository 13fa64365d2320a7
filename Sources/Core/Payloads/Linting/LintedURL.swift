import Foundation

/// A URL in the parts that the rules ask for (RFC 3986). Reading it never fails: a part that is missing is empty.
struct LintedURL: Sendable {
    /// The scheme in lower case, or `nil` if the text is not an absolute URL.
    let scheme: String?
    /// The host in lower case, without port and brackets.
    let host: String
    /// The path, from its first slash.
    let path: String
    /// The names and decoded values of the query, with the names in lower case.
    let query: [(name: String, value: String)]
    /// The extension in lower case, from the path or from `filename` of the query.
    let filenameExtension: String?
    /// A Boolean value that indicates whether a character must be encoded and is not.
    let hasUnencodedCharacters: Bool

    init(_ text: String) {
        hasUnencodedCharacters = text.utf8.contains { $0 <= 0x20 || $0 >= 0x7F || Self.excluded.contains($0) }
        let (scheme, afterScheme) = Self.scheme(of: text)
        self.scheme = scheme
        var rest = afterScheme.prefix { $0 != "#" }
        let queryText = rest.firstIndex(of: "?").map { rest[rest.index(after: $0)...] } ?? ""
        rest = rest.prefix { $0 != "?" }
        host = scheme == nil ? "" : Self.host(takenFrom: &rest)
        path = String(rest)
        query = queryText.split(separator: "&").map { pair in
            let name = pair.prefix { $0 != "=" }
            let value = pair.dropFirst(name.count + 1)
            return (name.lowercased(), value.removingPercentEncoding ?? String(value))
        }
        let name = query.first { $0.name == "filename" }?.value
        filenameExtension = name.flatMap { Self.filenameExtension(of: $0[...]) } ?? Self.filenameExtension(of: rest)
    }

    /// Returns the value of the query's first parameter with that name, which is in lower case.
    func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// The URL without what may be secret: user, password, port, query and fragment.
    var shown: String { (scheme.map { "\($0)://" } ?? "") + host + path }

    /// The characters that a URL cannot contain, besides spaces, controls, and other scripts.
    private static let excluded = Set("<>\"{}|\\^`".utf8)

    private static func scheme(of text: String) -> (scheme: String?, rest: Substring) {
        guard let colon = text.firstIndex(of: ":"), let first = text.first, first.isASCII, first.isLetter,
            text[..<colon].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
        else { return (nil, text[...]) }
        return (text[..<colon].lowercased(), text[text.index(after: colon)...])
    }

    private static func host(takenFrom rest: inout Substring) -> String {
        guard rest.hasPrefix("//") else { return "" }
        rest = rest.dropFirst(2)
        var authority = rest.prefix { $0 != "/" }
        rest = rest.dropFirst(authority.count)
        if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
        if authority.hasPrefix("[") { return authority.dropFirst().prefix { $0 != "]" }.lowercased() }
        return authority.prefix { $0 != ":" }.lowercased()
    }

    /// Returns the text after the last dot of the last component, if it looks like an extension.
    private static func filenameExtension(of path: Substring) -> String? {
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
        let text = name[name.index(after: dot)...]
        guard (1...5).contains(text.count), text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            return nil
        }
        return text.lowercased()
    }
}
