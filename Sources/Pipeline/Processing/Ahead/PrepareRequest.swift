package import Payloads
package import Timing

/// A source to make ready ahead of time: an element of the body of `POST /v1/prepare`.
///
/// `{"source", "profile"?, "until"?}`, where `until` is a time (RFC 3339) or a duration from now, such as `6h`.
package struct PrepareRequest: Sendable, Equatable {
    package var source: String
    package var profile: String?
    package var until: UnixTime?

    private static let keys: Set = ["source", "profile", "until"]
    private static let form = "{\"source\": \"https://…\", \"profile\": \"apns\", \"until\": \"2026-12-01T18:00:00Z\"}"

    package init(source: String, profile: String? = nil, until: UnixTime? = nil) {
        self.source = source
        self.profile = profile
        self.until = until
    }

    /// Reads an element of the body. `now` is what a duration counts from.
    package init(_ value: JSONValue, now: UnixTime) throws(RequestError) {
        guard case .object(let members) = value, let source = value["source"]?.text, !source.isEmpty else {
            throw .envelope("A source to prepare is an object such as \(Self.form).")
        }
        if let unknown = members.first(where: { !Self.keys.contains($0.key) }) {
            throw .envelope("A source to prepare has no \"\(unknown.key)\". It has: profile, source, until.")
        }
        self.source = source
        switch value["profile"] {
        case nil, .null: break
        case .string(let name)?: profile = name
        default: throw .envelope("\"profile\" is the name of a profile, such as \"apns\".")
        }
        switch value["until"] {
        case nil, .null: break
        case .string(let text)?:
            guard let time = RFC3339Time(text)?.time ?? DurationText.parse(text).map({ now + $0 }), time > now else {
                throw .envelope(
                    "\"until\" is a time in the future such as \"2026-12-01T18:00:00Z\", or a duration such as \"6h\"."
                )
            }
            until = time
        default: throw .envelope("\"until\" is a text: a time such as \"2026-12-01T18:00:00Z\", or \"6h\".")
        }
    }
}
