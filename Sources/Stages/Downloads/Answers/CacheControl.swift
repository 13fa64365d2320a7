import HTTPClient

/// The directives of a `Cache-Control` field, as a shared cache reads them (RFC 9111, section 5.2.2).
struct CacheControl: Equatable {
    /// A Boolean value that indicates whether the field has `private` or `no-store`, even for certain fields only: a
    /// shared cache may not keep the answer.
    private(set) var forbidsSharing = false
    /// A Boolean value that indicates whether the origin must be asked before each use.
    private(set) var forbidsReuse = false
    /// The lifetime in seconds: of several the least, and 0 if one cannot be read.
    private(set) var sharedMaxAge: Int?
    private(set) var maxAge: Int?

    init(_ field: String) {
        for directive in Self.directives(of: field) {
            let parts = directive.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let argument = parts.count > 1 ? String(parts[1]) : ""
            switch parts[0].trimmed.lowercased() {
            case "private", "no-store": forbidsSharing = true
            case "no-cache": forbidsReuse = true
            case "s-maxage": sharedMaxAge = min(sharedMaxAge ?? .max, Self.seconds(argument))
            case "max-age": maxAge = min(maxAge ?? .max, Self.seconds(argument))
            default: break
            }
        }
    }

    /// Splits at commas outside quotes: `private="a, b", max-age=5`.
    private static func directives(of field: String) -> [Substring] {
        var isQuoted = false
        return field.split { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
    }

    /// Returns the number of seconds, in quotes or without. More than 68 years count as 68 years (RFC 9111, section
    /// 1.2.2).
    private static func seconds(_ argument: String) -> Int {
        let digits = argument.trimmed.filter { $0 != "\"" }
        return HeaderNumber.parse(digits, limit: HeaderNumber.longestTime) ?? 0
    }
}

extension StringProtocol where SubSequence == Substring {
    fileprivate var trimmed: Substring {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let last = lastIndex(where: { !isSpace($0) }) else { return "" }
        return self[...last].drop(while: isSpace)
    }
}
