import ArgumentParser
package import Base
import Settings

/// The options of a group of settings, made from their declarations in `SettingsTable`.
///
/// ArgumentParser finds the options of a type by reflection, and reads them by decoding. Usually the compiler writes
/// both for each property. Here they are written for all settings of the group at once.
struct SettingOptions<Members: SettingGroup>: ParsableArguments, CustomReflectable {
    /// The options that were given, by the keys of their settings.
    private(set) var options: [String: SettingsSource.Option] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: OptionKey.self)
        for setting in Members.settings {
            options[setting.key] = try Self.value(of: setting, in: container)
        }
    }

    var customMirror: Mirror {
        let definitions = Members.settings.map { (label: String?.some($0.key), value: Self.definition(of: $0)) }
        return Mirror(self, children: definitions, displayStyle: .struct)
    }

    /// Returns the property wrapper that declares the option of `setting`.
    private static func definition(of setting: SettingDeclaration) -> Any {
        let (name, completion) = (setting.name, setting.completion)
        let help = ArgumentHelp(Members.help[setting.key] ?? setting.helpText)
        return switch setting.form {
        case .text: Option<String?>(name: name, help: help, completion: completion)
        case .secret: Option<Secret<String>?>(name: name, help: help, completion: completion)
        case .texts: Option<[String]>(wrappedValue: [], name: name, help: help, completion: completion)
        case .number: Option<Int?>(name: name, help: help)
        case .flag: Flag<Bool>(wrappedValue: false, name: name, help: help)
        }
    }

    private static func value(
        of setting: SettingDeclaration,
        in container: KeyedDecodingContainer<OptionKey>,
    ) throws -> SettingsSource.Option? {
        let key = OptionKey(stringValue: setting.key)
        switch setting.form {
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

extension SettingDeclaration {
    fileprivate var name: NameSpecification { .customLong(String(option.dropFirst(2))) }

    /// The words that a shell offers for the option's value: all possible ones, or the names of files or folders.
    fileprivate var completion: CompletionKind? {
        if key == Settings.table.store.key { return .directory }
        if key.hasSuffix("File") { return .file() }
        return words.isEmpty ? nil : .list(words)
    }
}

extension NameSpecification {
    /// Returns the name of a setting's option, for commands in which it means something else.
    static func setting<Value>(_ path: KeyPath<SettingsTable, Setting<Value>>) -> NameSpecification {
        Settings.table[keyPath: path].declaration.name
    }
}

extension Secret: ExpressibleByArgument where Value == String {
    package init?(argument: String) { self.init(argument) }
}

// MARK: - Groups

/// A group of settings, as a type for `SettingOptions`.
protocol SettingGroup {
    static var group: SettingDeclaration.Group { get }
    /// The help texts of settings that mean something else here, or have another default, by their keys.
    static var help: [String: String] { get }
}

extension SettingGroup {
    static var help: [String: String] { [:] }

    /// The settings of the group, in the order of the help text.
    static var settings: [SettingDeclaration] { Settings.all.filter { $0.group == group } }
}

enum CommonSettings: SettingGroup { static let group = SettingDeclaration.Group.common }

/// The common settings of `attachd batch`.
enum BatchSettings: SettingGroup {
    static let group = SettingDeclaration.Group.common
    static let help = [
        Settings.table.deadline.key: Settings.table.deadline.declaration.helpText(
            "The time limit of each file, such as 800ms or 20s.",
            default: DurationText.text(Settings.defaultFileDeadline)
        )
    ]
}

/// The common settings of `attachd process`.
enum ProcessSettings: SettingGroup {
    static let group = SettingDeclaration.Group.common
    static let help = [
        Settings.table.publicURL.key: Settings.table.publicURL.declaration.helpText(
            default: "none; the payload gets file: URLs"
        )
    ]
}

enum ServerSettings: SettingGroup { static let group = SettingDeclaration.Group.server }
enum QueueSettings: SettingGroup { static let group = SettingDeclaration.Group.queue }
enum PreviewSettings: SettingGroup { static let group = SettingDeclaration.Group.preview }

/// The options of the commands that listen for requests.
typealias ServerOptions = SettingOptions<ServerSettings>
/// The options of the commands that work with a queue.
typealias QueueOptions = SettingOptions<QueueSettings>
/// The options of the preview and of responses to notifications.
typealias PreviewOptions = SettingOptions<PreviewSettings>

// MARK: - Common options

/// The options of all commands with settings. Each but `--config` is also an environment variable and a key of the
/// configuration file.
typealias CommonOptions = GeneralOptions<CommonSettings>

/// The common options of a command, with the help texts of `Members`.
struct GeneralOptions<Members: SettingGroup>: ParsableArguments {
    @Option(help: "Read settings from a YAML or JSON file.", completion: .file())
    var config: String?
    @OptionGroup var common: SettingOptions<Members>

    /// The profile that the command line names.
    var profile: String? {
        if case .text(let name)? = common.options[Settings.table.profileName.key] { name } else { nil }
    }

    /// Reads all settings. Options override environment variables, which override the configuration file. Warns of
    /// variables that are probably misspelled.
    func settings(_ groups: [String: SettingsSource.Option]...) throws -> Settings {
        let settings = try read(groups)
        UnknownVariable.warn(of: settings.unknownVariables)
        return settings
    }

    /// Reads all settings for a command that reports misspelled variables by itself.
    func settingsWithoutWarnings(_ groups: [String: SettingsSource.Option]...) throws -> Settings {
        try read(groups)
    }

    /// Reads the options of these groups and the common ones. No option is in two groups.
    private func read(_ groups: [[String: SettingsSource.Option]]) throws -> Settings {
        let options = groups.reduce(common.options) { all, group in all.merging(group) { first, _ in first } }
        do throws(SettingsError) {
            return try Settings(reading: SettingsSource(options: options, configurationFile: config))
        } catch {
            throw CommandError(.badConfiguration, "\(error)")
        }
    }
}

extension UnknownVariable {
    /// Writes a line for each variable to standard error.
    static func warn(of variables: [UnknownVariable]) {
        for variable in variables { StandardError.write("\(variable)") }
    }
}
