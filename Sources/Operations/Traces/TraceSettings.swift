package import Values

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
