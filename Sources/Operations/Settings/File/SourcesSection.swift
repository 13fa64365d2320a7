import Downloads
import Processing

/// The section `sources` of the configuration file: the rules about which URLs lead to the same source, and about the
/// access to sources that need a key.
struct SourcesSection {
    private(set) var rules: [SourceRule] = []
    private(set) var access = AccessTable()
    private(set) var secrets: [SourceSecret] = []
    /// The names of the environment variables that the rules name.
    private(set) var variables: Set<String> = []

    init() {}

    /// Reads and checks the section of `file`, and the files and variables that it names.
    init(_ file: ConfigurationFile, _ context: SourceContext) throws(SettingsError) {
        for (name, table) in try file.root.tables("sources", keys: SourceRule.keys) {
            var reader = SourceAccessReader(name: name, table: table, context: context)
            let rule = try reader.rule()
            if case .objects = rule.match {} else { rules.append(try SourceRule(in: table)) }
            if let hiding = access.rules.first(where: { $0.hides(rule) }) {
                let reason =
                    "The rule \(hiding.name) stands before it and is for the same sources. Put the narrower rule first."
                throw SettingsError(key: table.path(of: "match"), reason: reason)
            }
            access.rules.append(rule)
            secrets += reader.secrets
            variables.formUnion(reader.variables)
        }
    }
}
