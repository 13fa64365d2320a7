import Base

/// The URLs of media in a body in which no dialect finds an attachment, and the configuration that finds them.
///
/// The URLs are shown without user, query and fragment, which may be secret.
package struct MediaPlaces: Sendable, Equatable, CustomStringConvertible {
    /// A URL, and the pattern for it that a dialect takes.
    package struct Place: Sendable, Equatable {
        /// The pattern for the JSON string that the URL is inside of, if it is.
        package var string: String?
        package var pattern: String
        package var url: String
    }

    package private(set) var places: [Place] = []
    /// A Boolean value that indicates whether the body is a push payload, for which today's gate rule is right.
    private let isPush: Bool

    /// The most places that are listed.
    private static let limit = 16

    package init(in body: JSONValue) {
        isPush = body["aps"]?.isObject == true
        add(body, at: [], key: "", inside: nil)
    }

    package var isEmpty: Bool { places.isEmpty }

    /// The lines of a configuration file that find the URLs.
    package var configuration: String {
        let dialects = dialects.map { name, keys in (["  \(name):"] + keys.map { "    \($0)" }).joined(separator: "\n")
        }
        return (["dialects:"] + dialects).joined(separator: "\n")
    }

    /// The places and the configuration in one line, for messages that have only one.
    package var sentence: String {
        let places = lines.joined(separator: "; ")
        let dialects = dialects.map { name, keys in "\(name): {\(keys.joined(separator: ", "))}" }
        return "URLs of media are in the body: \(places). If these are the attachments, add to the configuration file: "
            + "dialects: {\(dialects.joined(separator: ", "))}"
    }

    /// The proposed dialects: one for the body, and one for each string with URLs inside.
    private var dialects: [(name: String, keys: [String])] {
        var strings: [String?] = []
        for place in places where !strings.contains(place.string) { strings.append(place.string) }
        return strings.enumerated().map { index, string in
            let urls = places.filter { $0.string == string }.map { Self.quoted($0.pattern) }.joined(separator: ", ")
            let outer = string.map { ["string: \(Self.quoted($0))"] } ?? []
            let gate = isPush && string == nil ? [] : ["gate: none"]
            return (index == 0 ? "my-service" : "my-service-\(index + 1)", outer + gate + ["url: [\(urls)]"])
        }
    }

    private var lines: [String] {
        places.map { place in
            let string = place.string.map { ", inside the string at \($0.onOneLine(limit: 200))" } ?? ""
            return "\(place.pattern.onOneLine(limit: 200))\(string): \(place.url.onOneLine(limit: 200))"
        }
    }

    package var json: JSONValue {
        .array(
            places.map { place in
                [
                    "pointer": .string(place.pattern), "string": place.string.map { .string($0) } ?? .null,
                    "url": .string(place.url),
                ]
            }
        )
    }

    /// The places, and the lines to paste.
    package var description: String {
        "URLs of media are in the body:\n\(lines.map { "  \($0)\n" }.joined())"
            + "If these are the attachments, add to the configuration file:\n\(configuration)"
    }

    private mutating func add(_ value: JSONValue, at tokens: [String], key: String, inside string: String?) {
        guard places.count < Self.limit else { return }
        switch value {
        case .array(let elements):
            for element in elements { add(element, at: tokens + ["*"], key: key, inside: string) }
        case .object(let members):
            for member in members where member.unpairedKey == nil {
                add(member.value, at: tokens + [member.key], key: member.key, inside: string)
            }
        case .string(let text):
            let pattern = JSONPointer(tokens: tokens).description
            if let url = Self.mediaURL(text, key: key) {
                let place = Place(string: string, pattern: pattern, url: url)
                if !places.contains(where: { $0.string == string && $0.pattern == pattern }) { places.append(place) }
            } else if string == nil, !tokens.isEmpty, text.utf8.first == UInt8(ascii: "{"),
                let inner = try? JSONValue(parsing: Array(text.utf8))
            {
                add(inner, at: [], key: "", inside: pattern)
            }
        case .null, .bool, .number, .unpaired: break
        }
    }

    /// Returns the URL without its secrets if `text` is a URL of media, by its extension or by its key.
    private static func mediaURL(_ text: String, key: String) -> String? {
        let url = LintedURL(text)
        guard let scheme = url.scheme, ["http", "https"].contains(scheme), !url.host.isEmpty else { return nil }
        let isMedia = url.filenameExtension.map { FormatSupport.kind(of: $0) != nil } ?? false
        let name = key.lowercased()
        guard isMedia || words.contains(where: { name.contains($0) }) else { return nil }
        return url.shown
    }

    /// The words in the names of fields that have media.
    private static let words = [
        "image", "img", "picture", "photo", "media", "attach", "thumb", "icon", "avatar", "video", "audio", "gif",
        "poster",
        "banner", "cover", "logo",
    ]

    /// Returns a string of JSON, which YAML reads, too.
    private static func quoted(_ text: String) -> String { JSONValue.string(text).compactText }
}
