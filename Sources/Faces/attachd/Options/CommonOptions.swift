import ArgumentParser
import Settings

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
        if case .text(let name)? = common.options[.profile] { name } else { nil }
    }

    /// Reads all settings. Options override environment variables, which override the configuration file. Warns of
    /// variables that are probably misspelled.
    func settings(_ groups: [SettingsKey: SettingsSource.Option]...) throws -> Settings {
        let settings = try read(groups) { source throws(SettingsError) in try Settings(reading: source) }
        UnknownVariable.warn(of: settings.unknownVariables)
        return settings
    }

    /// Reads all settings for a command that reports misspelled variables by itself.
    func settingsWithoutWarnings(_ groups: [SettingsKey: SettingsSource.Option]...) throws -> Settings {
        try read(groups) { source throws(SettingsError) in try Settings(reading: source) }
    }

    /// Reads all settings, and returns where each comes from.
    func listing(_ groups: [SettingsKey: SettingsSource.Option]...) throws -> SettingsListing {
        let listing = try read(groups) { source throws(SettingsError) in try SettingsListing(reading: source) }
        UnknownVariable.warn(of: listing.unknownVariables)
        return listing
    }

    /// Reads the options of these groups and the common ones. No option is in two groups.
    private func read<Value>(
        _ groups: [[SettingsKey: SettingsSource.Option]],
        _ read: (SettingsSource) throws(SettingsError) -> Value,
    ) throws -> Value {
        let options = groups.reduce(common.options) { all, group in all.merging(group) { first, _ in first } }
        do throws(SettingsError) {
            return try read(SettingsSource(options: options, configurationFile: config))
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
