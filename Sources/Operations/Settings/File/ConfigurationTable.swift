import Yams

/// One table of a YAML or JSON configuration file. Unknown keys are errors.
struct ConfigurationTable {
    /// The path of keys to this table, separated by dots. Empty for the whole file.
    let path: String
    private let mapping: Node.Mapping
    /// A Boolean value that indicates whether texts have quotation marks, and other values have none.
    private let isJSON: Bool

    /// Reads a table. `keys` lists all keys that the table may have; `nil` allows any key, for names that the user
    /// chooses.
    init(_ node: Node, path: String, keys: [String]?, isJSON: Bool) throws(SettingsError) {
        guard let mapping = node.mapping else {
            throw SettingsError(key: path, reason: "The value is not a table of keys and values\(Self.line(of: node)).")
        }
        self.path = path
        self.mapping = mapping
        self.isJSON = isJSON
        for (key, _) in mapping {
            let name = key.string ?? ""
            guard let keys, !keys.contains(name) else { continue }
            let suggestion = Suggestion.nearest(to: name, among: keys).map { "did you mean \"\($0)\"?" }
            throw SettingsError(
                key: self.path(of: name),
                reason: "There is no such key\(Self.line(of: key)): "
                    + (suggestion ?? "write one of \(keys.joined(separator: ", "))."),
            )
        }
    }

    /// Returns the tables inside the table `key`, by name. `keys` lists the keys that each of them may have.
    func tables(_ key: String, keys: [String]) throws(SettingsError) -> [(name: String, table: ConfigurationTable)] {
        guard let section = try table(key, keys: nil) else { return [] }
        var tables: [(String, ConfigurationTable)] = []
        for (name, node) in section.mapping {
            let name = name.string ?? ""
            tables.append(
                (name, try ConfigurationTable(node, path: section.path(of: name), keys: keys, isJSON: isJSON))
            )
        }
        return tables
    }

    /// The names of the table's values.
    var names: [String] { mapping.map { $0.key.string ?? "" } }

    /// Returns whether the table has a value of that name.
    func has(_ key: String) -> Bool { mapping[key] != nil }

    /// Returns whether the value of that name is a table.
    func isTable(_ key: String) -> Bool { mapping[key]?.mapping != nil }

    /// Returns the table `key`. `keys` lists the keys that it may have; `nil` allows any key.
    func table(_ key: String, keys: [String]?) throws(SettingsError) -> ConfigurationTable? {
        guard let node = mapping[key] else { return nil }
        return try ConfigurationTable(node, path: path(of: key), keys: keys, isJSON: isJSON)
    }

    func text(_ key: String) throws(SettingsError) -> String? {
        guard let node = mapping[key] else { return nil }
        guard let text = node.scalar?.string, !text.isEmpty else { throw refusal(of: key, "a string") }
        return text
    }

    /// Returns the value of `key` as a list: it may be one string or a list of strings.
    func texts(_ key: String) throws(SettingsError) -> [String] {
        guard let node = mapping[key] else { return [] }
        let nodes = node.sequence.map(Array.init) ?? [node]
        let texts = nodes.compactMap(\.scalar?.string).filter { !$0.isEmpty }
        guard !texts.isEmpty, texts.count == nodes.count else {
            throw refusal(of: key, "a string or a list of strings")
        }
        return texts
    }

    func number(_ key: String, in range: ClosedRange<Int>) throws(SettingsError) -> Int? {
        guard let node = mapping[key] else { return nil }
        // Rejects numbers to the base of 60, such as 1:30: Yams traps on large ones.
        guard node.scalar?.string.contains(":") == false, let number = node.int, range.contains(number) else {
            throw refusal(of: key, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func fraction(_ key: String, in range: ClosedRange<Double>) throws(SettingsError) -> Double? {
        guard let node = mapping[key] else { return nil }
        guard let number = node.float, range.contains(number) else {
            throw refusal(of: key, "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func flag(_ key: String) throws(SettingsError) -> Bool? {
        guard let node = mapping[key] else { return nil }
        guard let flag = node.bool else { throw refusal(of: key, "true or false") }
        return flag
    }

    /// Returns `true` if `key` is set to `false`.
    func refuses(_ key: String) -> Bool { mapping[key]?.bool == false }

    func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    /// Returns the error for a value at `key` that is not `wanted`.
    func refusal(of key: String, _ wanted: String) -> SettingsError {
        let line = mapping[key].map { Self.line(of: $0) } ?? ""
        return SettingsError(key: path(of: key), reason: "The value is not \(wanted)\(line).")
    }

    // MARK: The values of settings

    func has(_ setting: SettingDeclaration) -> Bool { node(setting) != nil }

    func text(_ setting: SettingDeclaration) -> String? { node(setting).flatMap(text) }

    func texts(_ setting: SettingDeclaration) -> [String]? {
        guard let nodes = node(setting)?.sequence else { return nil }
        let texts = nodes.compactMap(text)
        return texts.count == nodes.count ? texts : nil
    }

    func number(_ setting: SettingDeclaration) -> Int? {
        // Rejects numbers to the base of 60, such as 1:30: Yams traps on large ones.
        guard let scalar = bare(setting), !scalar.string.contains(":") else { return nil }
        return Int.construct(from: scalar) ?? (isJSON ? Double(scalar.string).flatMap(Int.init(exactly:)) : nil)
    }

    func flag(_ setting: SettingDeclaration) -> Bool? {
        guard let scalar = bare(setting) else { return nil }
        return Bool.construct(from: scalar) ?? (isJSON ? Double(scalar.string).map { $0 != 0 } : nil)
    }

    /// Returns the value of a setting, in the tables that its key names.
    private func node(_ setting: SettingDeclaration) -> Node? {
        setting.path.dropFirst().reduce(mapping[setting.path[0]]) { node, name in node?.mapping?[name] }
    }

    private func text(_ node: Node) -> String? {
        guard let scalar = node.scalar, !isJSON || scalar.style == .doubleQuoted else { return nil }
        return scalar.string
    }

    /// Returns the scalar of `setting` unless it is a text of JSON.
    private func bare(_ setting: SettingDeclaration) -> Node.Scalar? {
        node(setting)?.scalar.flatMap { !isJSON || $0.style != .doubleQuoted ? $0 : nil }
    }

    private static func line(of node: Node) -> String { node.mark.map { " (line \($0.line))" } ?? "" }
}
