import Foundation
package import Payloads
import Values

/// All settings with their values, and where each comes from, for `attachd config show`.
package struct SettingsListing: Sendable {
    /// One setting.
    package struct Row: Sendable, Equatable {
        package var key: String
        /// The value as it was written, or the default. A password has `(secret)` in its place.
        package var value: String
        /// The option, variable or file that the value comes from; `default` for none.
        package var origin: String

        package init(key: String, value: String, origin: String) {
            self.key = key
            self.value = value
            self.origin = origin
        }
    }

    package let rows: [Row]
    /// The variables of the environment that are probably misspelled settings.
    package let unknownVariables: [UnknownVariable]

    /// Reads and checks all settings. Throws the same errors as a command that uses them.
    package init(reading source: SettingsSource) throws(SettingsError) {
        unknownVariables = try Settings(reading: source).unknownVariables
        let path = source.file
        let file = try path.map { path throws(SettingsError) in try ConfigurationFile(path: path).root }
        rows = SettingsKey.allCases.map { key in
            let found = source.written(key, file, path)
            let value = found.map { key.shown($0.value) } ?? key.option.defaultValue
            return Row(key: key.rawValue, value: value, origin: found?.origin ?? "default")
        }
    }

    /// The settings as text in columns.
    package var text: String {
        TextColumns.text(
            [["KEY", "VALUE", "FROM"]] + rows.map { [$0.key, $0.value.onOneLine(limit: 200), $0.origin] }
        )
    }

    /// The settings as a JSON object, for other programs.
    package var json: JSONValue {
        .object(
            rows.map { row in
                JSONValue.Member(
                    row.key,
                    .object([.init("value", .string(row.value)), .init("from", .string(row.origin))])
                )
            }
        )
    }
}

extension SettingsSource {
    /// Returns the value of a setting as it was written in the first source that has one.
    fileprivate func written(_ key: SettingsKey, _ file: ConfigurationTable?, _ path: String?)
        -> (value: String, origin: String)?
    {
        if let option = options[key] { return (option.written, "--\(key.option.name)") }
        if let text = variable(key.variable) { return (text, key.variable) }
        guard let file, file.has(key), let path else { return nil }
        let value =
            file.texts(key)?.joined(separator: ", ") ?? file.text(key) ?? file.number(key).map { "\($0)" }
            ?? file.flag(key).map { "\($0)" }
        return value.map { ($0, path) }
    }
}

extension SettingsSource.Option {
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

extension SettingsKey {
    /// Returns a value of this setting without its passwords. User and password of a URL stand before its last `@`, and
    /// those of sentinels in its query.
    fileprivate func shown(_ value: String) -> String {
        guard case .secret = option.form else { return value }
        let value = value.replacing(/(sentinelUser|sentinelPassword)=[^&]*/) { "\($0.output.1)=(secret)" }
        guard let end = value.lastIndex(of: "@") else { return value }
        let start = value.range(of: "://")?.upperBound ?? value.startIndex
        return value[..<start] + "(secret)" + value[end...]
    }
}

extension SettingOption {
    /// The default value, from the end of the help text.
    fileprivate var defaultValue: String {
        guard let match = help.firstMatch(of: /\(default: (.*)\)$/) else { return "-" }
        return String(match.1)
    }
}
