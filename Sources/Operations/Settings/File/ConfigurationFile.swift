import Files
import Foundation
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
        let paths = SettingsKey.allCases.map(\.path)
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
