import Processing

/// A rule about sources as the configuration file has it.
extension SourceRule {
    static let keys = ["match", "ignoreQuery", "tenantSegment"]

    init(in table: ConfigurationTable) throws(SettingsError) {
        guard let match = try table.text("match"), match.hasPrefix("https://") || match.hasPrefix("http://"),
            !match.contains("?"), !match.contains("#")
        else { throw table.refusal(of: "match", "a URL without query, such as \"https://cdn.example/*\"") }
        let ignored = try table.texts("ignoreQuery")
        let tenantSegments = try table.number("tenantSegment", in: 1...8)
        guard !ignored.isEmpty || tenantSegments != nil else {
            let wanted =
                "a list of the query's names that don't count, such as [Signature]; without it, give tenantSegment"
            throw table.refusal(of: "ignoreQuery", wanted)
        }
        self.init(match: match, ignoredQuery: ignored, tenantSegments: tenantSegments ?? 0)
    }
}
