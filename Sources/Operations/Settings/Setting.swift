import Files

/// The declaration of one setting: its names, its type with the check of its values, its default, and its help text.
/// The option, the environment variable, the key of the configuration file, the page of reference, `attachd config show`
/// and the errors are made from it. All declarations are in `SettingsTable`.
package struct Setting<Value: Sendable>: Sendable {
    package private(set) var declaration: SettingDeclaration
    /// Returns the value that applies: the written value, or the default.
    private let read: @Sendable (SettingDeclaration, SettingsReader) throws(SettingsError) -> Value

    private init(
        _ key: String,
        _ option: String?,
        _ type: SettingType<some Sendable>,
        _ group: SettingDeclaration.Group,
        _ defaultText: String?,
        _ read: @escaping @Sendable (SettingDeclaration, SettingsReader) throws(SettingsError) -> Value,
    ) {
        declaration = SettingDeclaration(
            key: key,
            option: option ?? SettingDeclaration.option(of: key),
            group: group,
            form: type.form,
            words: type.words,
            defaultText: defaultText,
        )
        self.read = read
    }

    /// Declares a setting with a default value. `option` is given only where it does not have the words of the key. `note`
    /// explains the value where it is shown, or stands for one that has no text.
    init(
        _ key: String,
        option: String? = nil,
        _ type: SettingType<Value>,
        in group: SettingDeclaration.Group = .common,
        default value: Value,
        note: String? = nil,
    ) {
        let text = [type.text(value), note].compactMap(\.self).joined(separator: ", ")
        self.init(key, option, type, group, text.isEmpty ? nil : text) { declaration, reader throws(SettingsError) in
            try type.read(declaration, reader) ?? value
        }
    }

    /// Declares a setting whose default, which `words` describe, depends on the machine or on other settings.
    init(
        _ key: String,
        option: String? = nil,
        _ type: SettingType<Value>,
        in group: SettingDeclaration.Group = .common,
        default words: String,
        _ value: @escaping @Sendable (SettingsReader) throws(SettingsError) -> Value,
    ) {
        self.init(key, option, type, group, words) { declaration, reader throws(SettingsError) in
            if let written = try type.read(declaration, reader) { written } else { try value(reader) }
        }
    }

    /// Declares a setting that may be missing. `words` describe what happens then.
    init<Written: Sendable>(
        _ key: String,
        option: String? = nil,
        _ type: SettingType<Written>,
        in group: SettingDeclaration.Group = .common,
        missing words: String? = nil,
    ) where Value == Written? {
        self.init(key, option, type, group, words) { declaration, reader throws(SettingsError) in
            try type.read(declaration, reader)
        }
    }

    /// Returns the setting with its help text.
    func help(_ text: String) -> Self {
        var setting = self
        setting.declaration.help = text
        return setting
    }

    /// Reads and checks the value, or returns the default.
    func value(_ reader: SettingsReader) throws(SettingsError) -> Value { try read(declaration, reader) }
}

extension Setting {
    package var key: String { declaration.key }

    /// Returns the error of a value of this setting.
    func refusal(_ reason: String) -> SettingsError { declaration.refusal(reason) }

    /// Reads the secret file that the setting names. Its errors become errors of the setting.
    func reading<Content>(_ read: () throws(FileError) -> Content) throws(SettingsError) -> Content {
        do throws(FileError) {
            return try read()
        } catch {
            throw refusal(error.reasonOfSetting)
        }
    }
}

/// A setting of any type.
protocol AnySetting: Sendable {
    var declaration: SettingDeclaration { get }
    /// Returns the value that applies.
    func anyValue(_ reader: SettingsReader) throws(SettingsError) -> any Sendable
}

extension Setting: AnySetting {
    func anyValue(_ reader: SettingsReader) throws(SettingsError) -> any Sendable { try value(reader) }
}

// MARK: - Names and texts

/// The names and texts of a setting.
package struct SettingDeclaration: Sendable {
    /// The commands that have the option: all commands with settings, or those that need this part of attachd.
    package enum Group: Sendable {
        case common, server, queue, preview
    }

    /// The form of the option on the command line.
    package enum Form: Sendable {
        case text
        /// A text that may contain a password.
        case secret
        /// A text; the option may be repeated.
        case texts
        case number
        /// An option without a value, which means this.
        case flag(Bool)
    }

    /// The key in the configuration file. A dot leads into a table.
    package let key: String
    /// The name of the option, with its dashes.
    package let option: String
    package let group: Group
    package let form: Form
    /// The values that the setting can have, or the beginnings of its values, for the completion of command lines. Empty
    /// if there are too many to list.
    package let words: [String]
    /// The default value as it is shown to users; `nil` if it goes without saying.
    package let defaultText: String?
    fileprivate(set) var help = ""

    /// The help text of the option.
    package var helpText: String { helpText() }

    /// Returns the help text of the option in a command in which the setting means something else, or has another
    /// default.
    package func helpText(_ meaning: String? = nil, default text: String? = nil) -> String {
        (meaning ?? help) + ((text ?? defaultText).map { " (default: \($0))" } ?? "")
    }

    /// Returns the name of the option of a setting that does not choose another: the key's words with dashes.
    fileprivate static func option(of key: String) -> String {
        key.reduce(into: "--") { name, letter in
            if letter.isUppercase { name += "-" }
            name += letter.lowercased()
        }
    }

    /// The environment variable of the setting: `ATTACHD_` and the key in capitals, with `_` between its words and in
    /// place of a dot.
    package var variable: String {
        key.reduce(into: "ATTACHD_") { name, letter in
            if letter.isUppercase { name += "_" }
            name += letter == "." ? "_" : letter.uppercased()
        }
    }

    /// The keys of the tables of the file that lead to the setting, the outermost first. Most settings are in no table.
    var path: [String] { key.split(separator: ".").map(String.init) }

    /// Returns the error of a value of this setting.
    func refusal(_ reason: String) -> SettingsError { SettingsError(key: key, reason: reason) }
}
