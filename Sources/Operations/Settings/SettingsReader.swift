import Base
import Foundation

/// A reader of single settings, from the first source that has a value.
///
/// A setting of the table is a property of the reader, so that one setting can depend on others.
@dynamicMemberLookup
struct SettingsReader {
    let source: SettingsSource
    let file: ConfigurationTable?

    /// Reads and checks the setting, or returns its default.
    subscript<Value>(dynamicMember path: KeyPath<SettingsTable, Setting<Value>>) -> Value {
        get throws(SettingsError) { try Settings.table[keyPath: path].value(self) }
    }

    /// Returns the value that was written, and the option, variable or file that it comes from; `nil` for none.
    func written(_ setting: SettingDeclaration) -> (value: String, origin: String)? {
        if let option = source.options[setting.key] { return (option.written, setting.option) }
        if let text = source.variable(setting.variable) { return (text, setting.variable) }
        guard let file, file.has(setting), let path = source.file else { return nil }
        let value =
            file.texts(setting)?.joined(separator: ", ") ?? file.text(setting) ?? file.number(setting).map { "\($0)" }
            ?? file.flag(setting).map { "\($0)" }
        return value.map { ($0, path) }
    }

    func text(_ setting: SettingDeclaration) throws(SettingsError) -> String? {
        try value(of: setting, "a string", \.text, { $0 }) { $0.text(setting) }
    }

    /// Returns a list. In a variable, it has commas between its elements.
    func texts(_ setting: SettingDeclaration, _ expected: String) throws(SettingsError) -> [String]? {
        try value(
            of: setting,
            expected,
            \.texts,
            { variable in
                variable.split(separator: ",", omittingEmptySubsequences: false)
                    .map { $0.trimmingCharacters(in: .whitespaces) }
            }
        ) { $0.texts(setting) }
    }

    func flag(_ setting: SettingDeclaration) throws(SettingsError) -> Bool? {
        try value(
            of: setting,
            "true or false",
            \.flag,
            { variable in
                switch variable.lowercased() {
                case "yes", "1": true
                case "no", "0": false
                case let other: Bool(other)
                }
            }
        ) { $0.flag(setting) }
    }

    func number(_ setting: SettingDeclaration, _ expected: String) throws(SettingsError) -> Int? {
        try value(of: setting, expected, \.number, { Int($0) }) { $0.number(setting) }
    }

    /// Returns the value from the first source that has one. Throws if that value is not `expected`.
    private func value<Value>(
        of setting: SettingDeclaration,
        _ expected: String,
        _ option: (SettingsSource.Option) -> Value?,
        _ variable: (String) -> Value?,
        _ file: (ConfigurationTable) -> Value?,
    ) throws(SettingsError) -> Value? {
        let found: Value?
        if let given = source.options[setting.key] {
            found = option(given)
        } else if let text = source.variable(setting.variable) {
            found = variable(text)
        } else if let table = self.file, table.has(setting) {
            found = file(table)
        } else {
            return nil
        }
        guard let found else { throw setting.refusal("The value is not \(expected).") }
        return found
    }
}

extension SettingsSource.Option {
    fileprivate var text: String? {
        switch self {
        case .text(let text): text
        case .secret(let text): text.revealed
        case .texts, .number, .flag: nil
        }
    }

    fileprivate var texts: [String]? { if case .texts(let texts) = self { texts } else { nil } }

    fileprivate var number: Int? { if case .number(let number) = self { number } else { nil } }

    fileprivate var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }

    /// The value as it was written.
    fileprivate var written: String {
        switch self {
        case .text(let text): text
        case .secret(let text): text.revealed
        case .texts(let texts): texts.joined(separator: ", ")
        case .number(let number): "\(number)"
        case .flag(let flag): "\(flag)"
        }
    }
}
