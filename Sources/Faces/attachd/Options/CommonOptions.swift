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
    func settings(_ more: [SettingsKey: SettingsSource.Option] = [:]) throws -> Settings {
        let options = more.merging(common.options) { _, common in common }
        do throws(SettingsError) {
            return try Settings(reading: SettingsSource(options: options, configurationFile: config))
        } catch {
            throw CommandError(.badConfiguration, "\(error)")
        }
    }
}
