import ArgumentParser
import Settings
package import Values

/// The options of a group of settings, made from their table in `SettingsKey`.
///
/// ArgumentParser finds the options of a type by reflection, and reads them by decoding. Usually the compiler writes
/// both for each property. Here they are written for all settings of the group at once.
struct SettingOptions<Members: SettingGroup>: ParsableArguments, CustomReflectable {
    /// The options that were given.
    private(set) var options: [SettingsKey: SettingsSource.Option] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: OptionKey.self)
        for setting in Members.settings {
            options[setting] = try Self.value(of: setting, in: container)
        }
    }

    var customMirror: Mirror {
        let definitions = Members.settings.map { (label: String?.some($0.rawValue), value: Self.definition(of: $0)) }
        return Mirror(self, children: definitions, displayStyle: .struct)
    }

    /// Returns the property wrapper that declares the option of `setting`.
    private static func definition(of setting: SettingsKey) -> Any {
        let (name, completion) = (NameSpecification.setting(setting), setting.completion)
        let help = ArgumentHelp(Members.help[setting] ?? setting.option.help)
        return switch setting.option.form {
        case .text: Option<String?>(name: name, help: help, completion: completion)
        case .secret: Option<Secret<String>?>(name: name, help: help, completion: completion)
        case .texts: Option<[String]>(wrappedValue: [], name: name, help: help, completion: completion)
        case .number: Option<Int?>(name: name, help: help)
        case .flag: Flag<Bool>(wrappedValue: false, name: name, help: help)
        }
    }

    private static func value(
        of setting: SettingsKey,
        in container: KeyedDecodingContainer<OptionKey>,
    ) throws -> SettingsSource.Option? {
        let key = OptionKey(stringValue: setting.rawValue)
        switch setting.option.form {
        case .text:
            return try container.decode(Option<String?>.self, forKey: key).wrappedValue.map { .text($0) }
        case .secret:
            return try container.decode(Option<Secret<String>?>.self, forKey: key).wrappedValue.map { .secret($0) }
        case .texts:
            let texts = try container.decode(Option<[String]>.self, forKey: key).wrappedValue
            return texts.isEmpty ? nil : .texts(texts)
        case .number:
            return try container.decode(Option<Int?>.self, forKey: key).wrappedValue.map { .number($0) }
        case .flag(let meaning):
            return try container.decode(Flag<Bool>.self, forKey: key).wrappedValue ? .flag(meaning) : nil
        }
    }
}

/// The key under which ArgumentParser keeps an option: the key of its setting.
private struct OptionKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
}

extension SettingsKey {
    /// The words that a shell offers for the option's value: all possible ones, or the names of files or folders.
    fileprivate var completion: CompletionKind? {
        switch self {
        case .store: .directory
        case _ where rawValue.hasSuffix("File"): .file()
        default: words.isEmpty ? nil : .list(words)
        }
    }
}

extension NameSpecification {
    /// Returns the name of a setting's option, for commands in which it means something else.
    static func setting(_ key: SettingsKey) -> NameSpecification { .customLong(key.option.name) }
}

extension Secret: ExpressibleByArgument where Value == String {
    package init?(argument: String) { self.init(argument) }
}
