package import Base
import Files
import Foundation
import Media
import Payloads
import Preview
import Processing
import Yams

/// A configuration file in YAML or JSON. It is read once, and all its values are taken from here.
struct ConfigurationFile {
    /// The folder of the file. Paths in the file are relative to it.
    let folder: URL
    let root: ConfigurationTable

    /// The sections that only a file can have, because they are tables.
    private static let sections = ["dialects", "profiles", "sources", "categories", "tenants"]

    /// Reads the file at `path`. Throws for every unknown key.
    init(path: String) throws(SettingsError) {
        let isJSON = path.hasSuffix(".json")
        let node: Node?
        do {
            let data = try Data(contentsOf: URL(filePath: path))
            // JSON is read as YAML, which tells the lines. But not all YAML is JSON.
            if isJSON { _ = try JSONSerialization.jsonObject(with: data) }
            node = try Parser(yaml: data).singleRoot()
        } catch {
            throw SettingsError(unreadable: path, as: isJSON ? "JSON" : "YAML", error)
        }
        guard let node else {
            throw SettingsError(
                key: "--config",
                reason: "\(path) is empty. Write keys and values, such as deadline: 20s."
            )
        }
        folder = URL(filePath: AbsolutePath.of(path)).deletingLastPathComponent()
        let paths = Settings.all.map(\.path)
        let tables = Dictionary(grouping: paths.filter { $0.count > 1 }) { $0[0] }
        let keys = paths.filter { $0.count == 1 }.map { $0[0] } + tables.keys.sorted() + Self.sections
        root = try ConfigurationTable(node, path: "", keys: keys, isJSON: isJSON)
        for (name, paths) in tables { _ = try root.table(name, keys: paths.map { $0[1] }) }
    }
}

extension SettingsError {
    /// Creates the error of a configuration file that cannot be read. The message has the line number but never the
    /// line's text, which may be a password.
    fileprivate init(unreadable path: String, as form: String, _ error: any Error) {
        let detail: String
        switch error {
        case YamlError.scanner(_, let problem, let mark, _), YamlError.parser(_, let problem, let mark, _),
            YamlError.composer(_, let problem, let mark, _):
            detail = "line \(mark.line), column \(mark.column): \(problem)"
        case YamlError.reader(let problem, _, _, _): detail = problem
        case YamlError.duplicatedKeysInMapping(_, let context):
            detail = "line \(context.mark.line): the same key occurs twice"
        case is YamlError: detail = "it is not UTF-8"
        default:
            let isMissing = (error as? CocoaError)?.code == .fileReadNoSuchFile
            detail = isMissing ? "there is no such file" : "\(error)"
        }
        self.init(key: "--config", reason: "\(path) cannot be read as \(form): \(detail).")
    }
}

// MARK: - Sections

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
            let definition = try DialectDefinition(named: name, in: table)
            dialects.append(
                try SettingsError.checking(table.path) { () throws(DialectDefinitionError) in try definition.dialect() }
            )
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
}

// MARK: - Tenants

/// A tenant of the configuration file. It has a share of its own, and metrics of its own.
package struct TenantSettings: Sendable, Equatable {
    /// The percentage of the backlog, and of concurrent notifications, that the tenant may have, if it has one of its
    /// own.
    package var share: Int?

    /// The most tenants of a configuration. Each has its own time series in the metrics.
    static let limit = 100

    /// Reads the section `tenants`.
    static func all(in root: ConfigurationTable) throws(SettingsError) -> [String: TenantSettings] {
        var tenants: [String: TenantSettings] = [:]
        for (name, table) in try root.tables("tenants", keys: ["share"]) {
            guard TenantName.isValid(name) else {
                let reason = "\"\(name)\" is not a tenant's name. Write \(TenantName.rule)."
                throw SettingsError(key: table.path, reason: reason)
            }
            tenants[name] = TenantSettings(share: try table.number("share", in: 1...100))
            guard tenants.count <= limit else {
                throw SettingsError(key: "tenants", reason: "There are more than \(limit). List the important ones.")
            }
        }
        return tenants
    }
}

extension Settings {
    /// The lines in which tenants take turns and have shares.
    package var tenantLines: TenantLines { TenantLines(listed: Set(tenants.keys)) }
}
