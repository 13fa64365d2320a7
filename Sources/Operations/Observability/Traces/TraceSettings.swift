package import Base
import Foundation

/// The settings of traces, from the standard variables of OpenTelemetry
/// (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ and
/// https://opentelemetry.io/docs/specs/otel/protocol/exporter/).
package struct TraceSettings: Sendable {
    package enum Format: String, Sendable, CaseIterable {
        case protobuf = "http/protobuf"
        case json = "http/json"

        package var mediaType: String {
            switch self {
            case .protobuf: "application/x-protobuf"
            case .json: "application/json"
            }
        }
    }

    /// The limits of the queue of finished spans, and of each export.
    package struct Batches: Sendable, Equatable {
        package var queueSize = 2048
        package var batchSize = 512
        package var interval = Duration.seconds(5)
        /// The time limit of one request to the collector.
        package var timeout = Duration.seconds(10)

        package init() {}
    }

    /// The URL that spans are posted to.
    package var endpoint: String
    package var format = Format.protobuf
    package var headers: [String: Secret<String>] = [:]
    /// The path of a file in PEM form with certificate authorities to trust beside the system's own.
    package var authoritiesFile: String?
    package var batches = Batches()
    package var sampler = Sampler.parent(otherwise: .always)
    /// The attributes of this process: `service.name` and those that the operator gave.
    package var resource: [String: String] = ["service.name": "attachd"]
}

// MARK: - Reading

extension TraceSettings {
    /// Reads the variables. Returns `nil` if traces are off, as they are unless a variable names an endpoint or an
    /// exporter. An empty variable counts as missing.
    package static func read(_ environment: [String: String]) throws(TraceSettingsError) -> TraceSettings? {
        let variables = TraceVariables(environment)
        guard variables["OTEL_SDK_DISABLED"]?.lowercased() != "true" else { return nil }
        switch variables["OTEL_TRACES_EXPORTER"] {
        case nil: if !variables.namesEndpoint { return nil }
        case "none": return nil
        case "otlp": break
        case let other?:
            throw TraceSettingsError(
                variable: "OTEL_TRACES_EXPORTER",
                advice: "\"\(other.onOneLine(limit: 64))\" is not available. Write otlp or none.",
            )
        }
        var settings = TraceSettings(endpoint: try variables.endpoint())
        settings.format = try variables.format()
        settings.headers = try variables.pairs("HEADERS").mapValues { Secret($0) }
        settings.authoritiesFile = variables.exporter("CERTIFICATE")?.value
        settings.sampler = try variables.sampler()
        settings.batches = try variables.batches()
        let pairs = try variables.pairs(in: "OTEL_RESOURCE_ATTRIBUTES")
        settings.resource.merge(pairs) { $1 }
        if let name = variables["OTEL_SERVICE_NAME"] { settings.resource["service.name"] = name }
        try variables.refuseUnsupported()
        return settings
    }
}

// MARK: - Variables

/// The variables of one process.
struct TraceVariables {
    private let environment: [String: String]

    init(_ environment: [String: String]) { self.environment = environment }

    subscript(name: String) -> String? {
        guard let value = environment[name]?.trimmingCharacters(in: .whitespaces), !value.isEmpty else { return nil }
        return value
    }

    /// Returns the variable for traces or, without it, the one for all signals.
    func exporter(_ name: String) -> (name: String, value: String)? {
        for name in ["OTEL_EXPORTER_OTLP_TRACES_\(name)", "OTEL_EXPORTER_OTLP_\(name)"] {
            if let value = self[name] { return (name, value) }
        }
        return nil
    }

    var namesEndpoint: Bool { exporter("ENDPOINT") != nil }

    func endpoint() throws(TraceSettingsError) -> String {
        guard let (name, value) = exporter("ENDPOINT") else { return "http://localhost:4318/v1/traces" }
        let isWhole = name == "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
        guard let url = URLComponents(string: value), ["http", "https"].contains(url.scheme),
            url.host?.isEmpty == false, url.user == nil, url.fragment == nil, (1...65_535).contains(url.port ?? 1),
            isWhole || url.query == nil
        else {
            let advice =
                "Name the collector with http:// or https://, such as http://localhost:4318. "
                + "Credentials belong in OTEL_EXPORTER_OTLP_HEADERS."
            throw TraceSettingsError(variable: name, advice: advice)
        }
        // The variable for all signals is a base URL, the one for traces is the URL itself.
        if isWhole { return url.path.isEmpty ? value + "/" : value }
        return value + (value.hasSuffix("/") ? "" : "/") + "v1/traces"
    }

    func format() throws(TraceSettingsError) -> TraceSettings.Format {
        guard let (name, value) = exporter("PROTOCOL") else { return .protobuf }
        guard let format = TraceSettings.Format(rawValue: value) else {
            let advice = "attachd speaks http/protobuf and http/json, on the collector's port 4318. Write one of them."
            throw TraceSettingsError(variable: name, advice: advice)
        }
        return format
    }

    func sampler() throws(TraceSettingsError) -> Sampler {
        let name = "OTEL_TRACES_SAMPLER"
        let rule = self[name] ?? "parentbased_always_on"
        let base = rule.hasPrefix("parentbased_") ? String(rule.dropFirst("parentbased_".count)) : rule
        let sampler: Sampler
        switch base {
        case "always_on": sampler = .always
        case "always_off": sampler = .never
        case "traceidratio":
            let argument = self["OTEL_TRACES_SAMPLER_ARG"] ?? "1"
            guard let share = Double(argument), (0...1).contains(share) else {
                let advice = "Write a share from 0 to 1, such as 0.1."
                throw TraceSettingsError(variable: "OTEL_TRACES_SAMPLER_ARG", advice: advice)
            }
            sampler = .share(share)
        default:
            let advice = "Write always_on, always_off or traceidratio, each also with parentbased_ before it."
            throw TraceSettingsError(variable: name, advice: advice)
        }
        return rule == base ? sampler : .parent(otherwise: sampler)
    }

    func batches() throws(TraceSettingsError) -> TraceSettings.Batches {
        var batches = TraceSettings.Batches()
        if let size = try number("OTEL_BSP_MAX_QUEUE_SIZE", 1...65_536) { batches.queueSize = size }
        if let size = try number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 1...8_192) { batches.batchSize = size }
        if let time = try number("OTEL_BSP_SCHEDULE_DELAY", 1...3_600_000) { batches.interval = .milliseconds(time) }
        if let (name, _) = exporter("TIMEOUT"), let time = try number(name, 1...60_000) {
            batches.timeout = .milliseconds(time)
        }
        batches.batchSize = min(batches.batchSize, batches.queueSize)
        return batches
    }

    private func number(_ name: String, _ range: ClosedRange<Int>) throws(TraceSettingsError) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            let advice = "Write a whole number from \(range.lowerBound) to \(range.upperBound)."
            throw TraceSettingsError(variable: name, advice: advice)
        }
        return number
    }

    func pairs(_ name: String) throws(TraceSettingsError) -> [String: String] {
        try exporter(name).map { found throws(TraceSettingsError) in try pairs(in: found.name) } ?? [:]
    }

    /// Reads a list in the form of W3C Baggage: names and percent-encoded values.
    func pairs(in name: String) throws(TraceSettingsError) -> [String: String] {
        var pairs: [String: String] = [:]
        for pair in (self[name] ?? "").split(separator: ",") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, !parts[0].isEmpty, let value = parts[1].removingPercentEncoding,
                !value.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
            else {
                let advice = "Write a list such as key1=value1,key2=value2, with other characters percent-encoded."
                throw TraceSettingsError(variable: name, advice: advice)
            }
            pairs[parts[0]] = value
        }
        return pairs
    }

    /// Throws for variables that ask for what attachd cannot do. To ignore them would send spans otherwise than the
    /// operator believes.
    func refuseUnsupported() throws(TraceSettingsError) {
        if let (name, value) = exporter("COMPRESSION"), value != "none" {
            throw TraceSettingsError(variable: name, advice: "attachd sends spans uncompressed. Write none.")
        }
        for name in ["CLIENT_KEY", "CLIENT_CERTIFICATE"] {
            guard let (name, _) = exporter(name) else { continue }
            let advice = "attachd has no certificate of its own for the collector. Use a header, or leave it out."
            throw TraceSettingsError(variable: name, advice: advice)
        }
    }
}

// MARK: - Errors

/// A variable of OpenTelemetry that attachd cannot follow.
package struct TraceSettingsError: Error, Sendable, Equatable, CustomStringConvertible {
    package var variable: String
    package var advice: String

    package var description: String { "\(variable): \(advice)" }
}
