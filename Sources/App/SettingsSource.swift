import Configuration
import Foundation
import SystemPackage

/// The layers that a setting is looked up in: option, then environment, then configuration file.
package struct SettingsSource: Sendable {
    /// What was given on the command line, by key.
    package enum Option: Sendable, Equatable {
        case text(String)
        case texts([String])
        case number(Int)
        case flag(Bool)
    }

    package var options: [SettingsKey: Option]
    package var environment: [String: String]
    package var configurationFile: String?

    package init(
        options: [SettingsKey: Option] = [:],
        environment: [String: String] = ProcessInfo.processInfo.environment,
        configurationFile: String? = nil,
    ) {
        self.options = options
        self.environment = environment
        self.configurationFile = configurationFile
    }

    /// The configuration file, if there is one.
    var file: String? { configurationFile ?? environment["ATTACHD_CONFIG"].flatMap { $0.isEmpty ? nil : $0 } }

    /// An empty variable counts as one that isn't there, as in most shells' `${NAME:-default}`.
    func reader() async throws -> ConfigReader {
        let values = options.map { (AbsoluteConfigKey([$0.key.rawValue]), $0.value.value) }
        var providers: [any ConfigProvider] = [
            InMemoryProvider(name: "options", values: Dictionary(uniqueKeysWithValues: values)),
            EnvironmentVariablesProvider(environmentVariables: environment.filter { !$0.value.isEmpty })
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
                ? try await FileProvider<JSONSnapshot>(filePath: FilePath(path))
                : try await FileProvider<YAMLSnapshot>(filePath: FilePath(path))
        } catch {
            let reason = "\(path) cannot be read as \(path.hasSuffix(".json") ? "JSON" : "YAML"): \(error)"
            throw SettingsError(key: "--config", reason: reason)
        }
    }
}

extension SettingsSource.Option {
    fileprivate var value: ConfigValue {
        switch self {
        case .text(let text): ConfigValue(.string(text), isSecret: false)
        case .texts(let texts): ConfigValue(.stringArray(texts), isSecret: false)
        case .number(let number): ConfigValue(.int(number), isSecret: false)
        case .flag(let flag): ConfigValue(.bool(flag), isSecret: false)
        }
    }
}
