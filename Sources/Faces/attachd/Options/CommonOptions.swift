import ArgumentParser
import Settings

/// The options of all commands with settings. Each but `--config` is also an environment variable and a key of the
/// configuration file.
struct CommonOptions: ParsableArguments {
    @Option(help: "Read settings from a YAML or JSON file.", completion: .file())
    var config: String?
    @OptionGroup var common: SettingOptions<CommonSettings>

    /// The profile that the command line names.
    var profile: String? {
        if case .text(let name)? = common.options[.profile] { name } else { nil }
    }

    /// Reads all settings. Options override environment variables, which override the configuration file.
    func settings(_ groups: [SettingsKey: SettingsSource.Option]...) throws -> Settings {
        try read(groups) { source throws(SettingsError) in try Settings(reading: source) }
    }

    /// Reads all settings, and returns where each comes from.
    func listing(_ groups: [SettingsKey: SettingsSource.Option]...) throws -> SettingsListing {
        try read(groups) { source throws(SettingsError) in try SettingsListing(reading: source) }
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
