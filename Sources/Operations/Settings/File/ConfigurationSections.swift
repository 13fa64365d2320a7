import Foundation
import Media
import Payloads
import Preview
import Processing

/// The settings that need tables, so only a configuration file can hold them: the user's dialects, profiles, and
/// categories, the rules about sources, and tenants.
struct ConfigurationSections {
    private(set) var dialects: [Dialect] = []
    private(set) var profiles: [Profile] = []
    private(set) var sources = SourcesSection()
    private(set) var categories: [NotificationCategory] = []
    private(set) var tenants: [String: TenantSettings] = [:]

    /// Reads the sections of `file`. Throws for every unknown key.
    init(_ file: ConfigurationFile, _ context: SourceContext) throws(SettingsError) {
        for (name, table) in try file.root.tables("dialects", keys: DialectDefinition.keys) {
            try Self.check(name, isNew: !(Dialect.builtIn + dialects).contains { $0.name == name }, table)
            dialects.append(try DialectDefinition(named: name, in: table).checked(at: table.path))
        }
        for (name, table) in try file.root.tables("profiles", keys: Profile.keys) {
            try Self.check(name, isNew: !profiles.contains { $0.name == name }, table)
            let profile = try Profile(named: name, in: table)
            if let other = profiles.first(where: { !Set($0.categories).isDisjoint(with: profile.categories) }) {
                let reason = "The profile \(other.name) has the same category. List each category in one profile only."
                throw SettingsError(key: table.path(of: "categories"), reason: reason)
            }
            profiles.append(profile)
        }
        let known = Set((Profile.builtIn + profiles).map(\.name))
        for dialect in dialects {
            guard let name = dialect.paths.first?.profile, !known.contains(name) else { continue }
            throw SettingsError(
                key: "dialects.\(dialect.name).profile",
                reason: "There is no profile \"\(name)\". Choose one of: \(known.sorted().joined(separator: ", "))."
            )
        }
        sources = try SourcesSection(file, context)
        categories = try file.root.tables("categories", keys: NotificationCategory.keys)
            .map { name, table throws(SettingsError) in
                try NotificationCategory(named: name, in: table, folder: file.folder)
            }
        tenants = try TenantSettings.all(in: file.root)
    }

    private static func check(_ name: String, isNew: Bool, _ table: ConfigurationTable) throws(SettingsError) {
        guard !name.isEmpty, isNew else {
            throw SettingsError(key: table.path, reason: "The name is taken or empty. Choose another.")
        }
    }
}

extension DialectDefinition {
    fileprivate static let keys = ["url", "identifier", "type", "typeForm", "gate", "profile", "string"]

    fileprivate init(named name: String, in table: ConfigurationTable) throws(SettingsError) {
        let form = try table.text("typeForm") ?? TypeForm.same.rawValue
        guard let typeForm = TypeForm(rawValue: form) else {
            let known = TypeForm.allCases.map(\.rawValue).joined(separator: ", ")
            throw table.refusal(of: "typeForm", "one of \(known)")
        }
        let gate = try table.text("gate")
        guard gate == nil || gate == Gate.none.rawValue else {
            throw table.refusal(of: "gate", "none. Leave it out for the rule of push payloads")
        }
        self.init(
            name: name,
            url: try table.texts("url"),
            identifier: try table.text("identifier"),
            type: try table.text("type"),
            typeForm: typeForm,
            gate: gate == nil ? .push : .none,
            profile: try table.text("profile"),
            string: try table.text("string"),
        )
    }

    fileprivate func checked(at path: String) throws(SettingsError) -> Dialect {
        do {
            return try dialect()
        } catch {
            throw SettingsError(key: path, reason: error.description)
        }
    }
}
