import Processing

/// The source rule's form in the configuration file.
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
                "a list of query parameters to ignore, such as [Signature]; it may be left out only with tenantSegment"
            throw table.refusal(of: "ignoreQuery", wanted)
        }
        self.init(match: match, ignoredQuery: ignored, tenantSegments: tenantSegments ?? 0)
    }
}
