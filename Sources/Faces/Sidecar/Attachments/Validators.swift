import Base
import HTTPTypes

/// The validators of a file's version: its strong entity tag and the time at which it was last stored.
struct Validators {
    /// The entity tag, including its quotes.
    var entityTag: String
    /// The time at which the file was last stored, in seconds since 1970.
    var lastModified: Int

    enum Verdict {
        case proceed, notModified, failed
    }

    /// Evaluates the conditions of a `GET` or `HEAD` in their order (RFC 9110, section 13.2.2).
    func evaluate(_ fields: HTTPFields) -> Verdict {
        if let tags = fields[.ifMatch] {
            guard matches(tags, isWeak: false) else { return .failed }
        } else if let date = fields[.ifUnmodifiedSince].flatMap(HTTPDate.seconds), lastModified > date {
            return .failed
        }
        if let tags = fields[.ifNoneMatch] {
            return matches(tags, isWeak: true) ? .notModified : .proceed
        }
        if let date = fields[.ifModifiedSince].flatMap(HTTPDate.seconds), lastModified <= date { return .notModified }
        return .proceed
    }

    /// Returns whether the request's `If-Range` allows ranges of this version (RFC 9110, section 13.1.5).
    func allowsRanges(_ fields: HTTPFields) -> Bool {
        guard let condition = fields[.ifRange] else { return true }
        return condition == entityTag || HTTPDate.seconds(condition) == lastModified
    }

    /// Returns whether this tag is in a list of tags. Only a weak comparison accepts weak tags.
    private func matches(_ list: String, isWeak: Bool) -> Bool {
        var rest = list[...]
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "," }
            if rest.first == "*" { return true }
            let isWeakTag = rest.hasPrefix("W/")
            if isWeakTag { rest = rest.dropFirst(2) }
            // A tag may contain a comma, so it ends at its closing quote.
            guard rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") else { return false }
            if rest[...end] == entityTag, isWeak || !isWeakTag { return true }
            rest = rest[rest.index(after: end)...]
        }
    }
}

// MARK: - Dates

/// Conversions between HTTP dates (RFC 9110, section 5.6.7) and seconds since 1970.
enum HTTPDate {
    private static let form = "%d %b %Y %H:%M:%S GMT"
    /// The present form and the two obsolete ones behind the weekday, which is redundant: `Sunday, 06-Nov-94 08:49:37 GMT` and
    /// `Sun Nov  6 08:49:37 1994`.
    private static let forms = [form, "%d-%b-%y %H:%M:%S GMT", "%b %d %H:%M:%S %Y"]

    /// Formats a date since 1970, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func text(_ seconds: Int) -> String { UnixTime(seconds: max(0, seconds)).text("%a, " + form) }

    /// Reads a date in any of the three forms.
    static func seconds(_ text: String) -> Int? {
        guard let weekday = text.firstIndex(of: " ") else { return nil }
        let date = String(text[text.index(after: weekday)...])
        return forms.lazy.compactMap { UnixTime(date, as: $0)?.seconds }.first
    }
}
