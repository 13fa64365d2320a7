import Foundation
package import Values

/// The sources of a setting, in the order of lookup: command-line option, environment, configuration file.
package struct SettingsSource: Sendable {
    /// The value of a command-line option.
    package enum Option: Sendable, Equatable {
        case text(String)
        /// A string that may contain a password.
        case secret(Secret<String>)
        case texts([String])
        case number(Int)
        case flag(Bool)
    }

    package var options: [SettingsKey: Option]
    /// All environment variables. Some contain passwords.
    package var environment: Secret<[String: String]>
    package var configurationFile: String?

    package init(
        options: [SettingsKey: Option] = [:],
        environment: [String: String] = ProcessInfo.processInfo.environment,
        configurationFile: String? = nil,
    ) {
        self.options = options
        self.environment = Secret(environment)
        self.configurationFile = configurationFile
    }

    /// The path of the configuration file, if there is one.
    var file: String? { configurationFile ?? variable("ATTACHD_CONFIG") }

    /// Returns the value of an environment variable. An empty variable counts as unset, as in the shell's
    /// `${NAME:-default}`.
    func variable(_ name: String) -> String? { environment.revealed[name].flatMap { $0.isEmpty ? nil : $0 } }
}
