import Configuration
import Foundation
import Media
import SystemPackage
package import Values
import Yams

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
    var file: String? {
        configurationFile ?? environment.revealed["ATTACHD_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns a reader of all sources. An empty variable counts as unset, as in the shell's `${NAME:-default}`.
    func reader() async throws -> ConfigReader {
        let values = options.map { (AbsoluteConfigKey([$0.key.rawValue]), $0.value.value) }
        var providers: [any ConfigProvider] = [
            InMemoryProvider(name: "options", values: Dictionary(uniqueKeysWithValues: values)),
            EnvironmentVariablesProvider(
                environmentVariables: environment.revealed.filter { !$0.value.isEmpty },
                secretsSpecifier: .all,
            )
            .prefixKeys(with: "attachd"),
        ]
        if let file {
            providers.append(try await fileProvider(file))
        }
        return ConfigReader(providers: providers)
    }

    private func fileProvider(_ path: String) async throws -> any ConfigProvider {
        do {
            return path.hasSuffix(".json")
                ? try await FileProvider<JSONSnapshot>(
                    parsingOptions: .init(secretsSpecifier: .all),
                    filePath: FilePath(path),
                )
                : try await FileProvider<YAMLSnapshot>(
                    parsingOptions: .init(secretsSpecifier: .all),
                    filePath: FilePath(path),
                )
        } catch {
            let form = path.hasSuffix(".json") ? "JSON" : "YAML"
            throw SettingsError(unreadable: path, as: form, error)
        }
    }
}

extension SettingsSource.Option {
    fileprivate var value: ConfigValue {
        switch self {
        case .text(let text): ConfigValue(.string(text), isSecret: false)
        case .secret(let text): ConfigValue(.string(text.revealed), isSecret: true)
        case .texts(let texts): ConfigValue(.stringArray(texts), isSecret: false)
        case .number(let number): ConfigValue(.int(number), isSecret: false)
        case .flag(let flag): ConfigValue(.bool(flag), isSecret: false)
        }
    }
}

extension SettingsError {
    /// Creates the error of a configuration file that cannot be read. The message has the line number but never the
    /// line's text, which may be a password.
    init(unreadable path: String, as form: String, _ error: any Error) {
        let detail: String
        switch error {
        case YamlError.scanner(_, let problem, let mark, _), YamlError.parser(_, let problem, let mark, _),
            YamlError.composer(_, let problem, let mark, _):
            detail = "line \(mark.line), column \(mark.column): \(problem)"
        case YamlError.reader(let problem, _, _, _): detail = problem
        case YamlError.duplicatedKeysInMapping(_, let context):
            detail = "line \(context.mark.line): the same key occurs twice"
        case is YamlError: detail = "it is not UTF-8"
        default: detail = "\(error)"
        }
        self.init(key: "--config", reason: "\(path) cannot be read as \(form): \(detail).")
    }
}
