package import Base
import FoundationEssentials
import HTTPClient

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

    /// The options that were given, by the keys of their settings.
    package var options: [String: Option]
    /// All environment variables. Some contain passwords.
    package var environment: Secret<[String: String]>
    package var configurationFile: String?

    package init(
        options: [String: Option] = [:],
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

// MARK: - Misspellings

/// A variable of the environment without an effect: one that looks like that of a setting and is probably misspelled, or one
/// that names a proxy.
package struct UnknownVariable: Sendable, Equatable, CustomStringConvertible {
    package let name: String
    /// The variable that was probably meant.
    package let suggestion: String?

    /// The variables of settings, and the one of the configuration file.
    package static let known = Settings.all.map(\.variable) + ["ATTACHD_CONFIG"]

    /// The variables of this project's scripts, tests and samples.
    private static let others: Set<String> = [
        "ATTACHD_BIN", "ATTACHD_PROGRAM", "ATTACHD_KILLS", "ATTACHD_MUTATIONS", "ATTACHD_MIXED_FILES", "ATTACHD_URL",
        "ATTACHD_TOKEN",
    ]

    /// The most variables that are reported.
    private static let limit = 20

    /// The reason why the variable is ignored, and the name to write instead.
    package var advice: String {
        guard !ProxyVariable.names.contains(name) else { return ProxyVariable.advice }
        let meant = suggestion.map { "Did you mean \($0)?" } ?? "See `attachd config show` for those of settings."
        return "It is not the variable of a setting, and has no effect. \(meant)"
    }

    package var description: String { "The environment variable \(shownName) is ignored. \(advice)" }

    /// The name for a line of text: names may have any characters.
    package var shownName: String { name.onOneLine(limit: 100) }

    /// Returns the unknown variables of `environment`, in alphabetical order. `named` are those that the configuration
    /// file names. An empty variable counts as unset.
    static func all(in environment: [String: String], named: Set<String>) -> [UnknownVariable] {
        environment.filter { name, value in
            guard !value.isEmpty, !named.contains(name) else { return false }
            return ProxyVariable.names.contains(name)
                || name.hasPrefix("ATTACHD_") && !others.contains(name) && !known.contains(name) && !isOfService(name)
        }
        .keys.sorted().prefix(limit).map { name in
            guard !ProxyVariable.names.contains(name) else { return UnknownVariable(name: name, suggestion: nil) }
            let longer = known.first { $0.hasPrefix("\(name)_") }
            return UnknownVariable(name: name, suggestion: longer ?? Suggestion.nearest(to: name, among: known))
        }
    }

    /// Returns whether Kubernetes may have set the variable, for a service whose name begins with `attachd`.
    private static func isOfService(_ name: String) -> Bool {
        let suffix = name.dropFirst("ATTACHD".count)
        return suffix.wholeMatch(of: /(_[A-Z0-9_]+)?_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)/) != nil
            || suffix.wholeMatch(of: /(_[A-Z0-9_]+)?_PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PORT|PROTO|ADDR))?)?/) != nil
    }
}

/// Suggestions for misspelled names.
enum Suggestion {
    /// Returns the nearest of `candidates`; `nil` if none is close enough.
    static func nearest(to text: String, among candidates: [String]) -> String? {
        let distances = candidates.map { ($0, EditDistance.between(text.lowercased(), $0.lowercased())) }
        guard let (nearest, distance) = distances.min(by: { $0.1 < $1.1 }), distance <= max(2, text.count / 3) else {
            return nil
        }
        return nearest
    }
}
