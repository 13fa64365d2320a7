import Downloads
import Processing

/// The source rule's form in the configuration file.
extension SourceRule {
    static let keys = [
        "match", "ignoreQuery", "tenantSegment", "headers", "addresses", "endpoint", "region", "style", "certificate",
        "key",
    ]
    /// The keys that give access. A rule with one of them is for one place, and not for a pattern.
    static let accessKeys = ["headers", "addresses", "endpoint", "region", "style", "certificate", "key"]

    /// Reads the parts of a rule that do not give access. A rule that does needs none of them.
    init(in table: ConfigurationTable) throws(SettingsError) {
        let givesAccess = Self.accessKeys.contains(where: table.has)
        guard let match = try table.text("match"), match.hasPrefix("https://") || match.hasPrefix("http://"),
            !match.contains("?"), !match.contains("#")
        else { throw table.refusal(of: "match", "a URL without query, such as \"https://cdn.example/*\"") }
        let ignored = try table.texts("ignoreQuery")
        let tenantSegments = try table.number("tenantSegment", in: 1...8)
        guard !ignored.isEmpty || tenantSegments != nil || givesAccess else {
            let wanted =
                "a list of query parameters to ignore, such as [Signature]; it may be left out only with tenantSegment, "
                + "headers, addresses or a certificate"
            throw table.refusal(of: "ignoreQuery", wanted)
        }
        // A place is for everything below it.
        let pattern = givesAccess && match.hasSuffix("/") ? match + "*" : match
        self.init(match: pattern, ignoredQuery: ignored, tenantSegments: tenantSegments ?? 0)
    }
}
