import Processing

/// A rule about sources as the configuration file has it.
extension SourceRule {
    static let keys = ["match", "ignoreQuery"]

    init(in table: ConfigurationTable) throws(SettingsError) {
        guard let match = try table.text("match"), match.hasPrefix("https://") || match.hasPrefix("http://"),
            !match.contains("?"), !match.contains("#")
        else { throw table.refusal(of: "match", "a URL without query, such as \"https://cdn.example/*\"") }
        let ignored = try table.texts("ignoreQuery")
        guard !ignored.isEmpty else {
            throw table.refusal(of: "ignoreQuery", "a list of the query's names that don't count, such as [Signature]")
        }
        self.init(match: match, ignoredQuery: ignored)
    }
}
