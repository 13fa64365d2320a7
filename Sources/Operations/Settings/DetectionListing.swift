package import Payloads
import Values

/// The verdicts of all dialects on one payload, for `attachd dialects --detect`.
package struct DetectionListing: Sendable {
    private let verdicts: [DialectVerdict]
    private let media: MediaPlaces

    package init(_ payload: JSONValue, _ settings: Settings) {
        verdicts = PayloadReader(dialects: settings.dialects).verdicts(on: payload)
        media = MediaPlaces(in: payload)
    }

    /// A Boolean value that indicates whether any dialect finds an attachment.
    package var matches: Bool { verdicts.contains { $0.match != .none } }

    /// The verdicts in columns: the matching dialects first. If none matches, the URLs of media in the payload follow.
    package var text: String {
        let sorted = verdicts.filter { $0.match != .none } + verdicts.filter { $0.match == .none }
        let rows = sorted.map { [$0.dialect, $0.match.rawValue, $0.reason.onOneLine(limit: 1000)] }
        let columns = TextColumns.text([["DIALECT", "MATCH", "WHY"]] + rows)
        return matches || media.isEmpty ? columns : "\(columns)\n\n\(media)"
    }

    /// The verdicts in the order in which the dialects are tried.
    package var json: JSONValue {
        [
            "matches": .bool(matches), "media": matches ? [] : media.json,
            "configuration": matches || media.isEmpty ? nil : .string(media.configuration),
            "dialects": .array(
                verdicts.map { verdict in
                    [
                        "dialect": .string(verdict.dialect), "match": .string(verdict.match.rawValue),
                        "pointers": .array(verdict.pointers.map { .string($0.description) }),
                        "reason": .string(verdict.reason),
                    ]
                }
            ),
        ]
    }
}
