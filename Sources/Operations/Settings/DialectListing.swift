import Foundation
package import Media
import Payloads
import Timing

/// The known dialects and profiles as text in columns, for `attachd dialects`.
package struct DialectListing: Sendable {
    private let dialects: [Dialect]
    private let profiles: [Profile]

    package init(_ settings: Settings) {
        dialects = settings.dialects
        profiles = settings.profiles
    }

    /// The listing: one line for each path of each dialect, then one for each field beside a path, then one for each rule
    /// of each profile.
    package var text: String {
        let paths = dialects.flatMap { dialect in
            dialect.places.map { [dialect.name, $0.path, $0.profile ?? "-", dialect.source] }
        }
        let fields = dialects.flatMap { dialect in
            dialect.fields.map { [dialect.name, "\($0.pattern)", $0.use, dialect.source] }
        }
        let rules = profiles.flatMap { profile in profile.rules.map { [profile.name, $0.name, $0.value] } }
        return TextColumns.text([["DIALECT", "PATH", "PROFILE", "SOURCE"]] + paths) + "\n\n"
            + TextColumns.text([["DIALECT", "FIELD", "USE", "SOURCE"]] + fields) + "\n\n"
            + TextColumns.text([["PROFILE", "RULE", "VALUE"]] + rules)
    }
}

extension Profile {
    /// The profile's rules, named as in the configuration file.
    package var rules: [(name: String, value: String)] {
        var rules = [
            ("formats", image.prefersWebP ? "webp, jpeg" : "jpeg"),
            ("inline", image.inline.rawValue),
            ("inlinePointer", inlinePointer ?? "-"),
            ("image.longEdge", "\(image.longEdge)"),
            ("image.aspectRatio", image.aspectRatio.map { "\($0.width):\($0.height)" } ?? "-"),
            ("image.byteBudget", "\(image.byteBudget)"),
            ("image.byteLimit", "\(image.byteLimit)"),
            ("image.keepTransparency", "\(image.keepsTransparency)"),
        ]
        rules += Self.rules("animation", nil, animation?.longEdge, animation?.byteBudget, animation?.byteLimit)
        rules += Self.rules("video", video?.duration, video?.longEdge, video?.byteBudget, video?.byteLimit)
        rules += Self.rules("audio", audio?.duration, nil, audio?.byteBudget, audio?.byteLimit)
        rules.append(("cropToClippingRectangle", "\(cropsToClippingRectangle)"))
        rules.append(("categories", categories.isEmpty ? "-" : categories.joined(separator: ", ")))
        return rules
    }

    /// Returns the names and values of a group of rules that a profile can turn off.
    private static func rules(
        _ kind: String,
        _ duration: Duration?,
        _ longEdge: Int?,
        _ byteBudget: Int?,
        _ byteLimit: Int?,
    ) -> [(name: String, value: String)] {
        let values = [
            ("duration", duration.map { "\(Double($0.milliseconds) / 1000)s" }), ("longEdge", longEdge.map { "\($0)" }),
            ("byteBudget", byteBudget.map { "\($0)" }), ("byteLimit", byteLimit.map { "\($0)" }),
        ]
        let rules = values.compactMap { name, value in value.map { ("\(kind).\(name)", $0) } }
        return rules.isEmpty ? [(kind, "false")] : rules
    }
}
