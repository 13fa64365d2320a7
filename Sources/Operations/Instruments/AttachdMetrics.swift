import Telemetry

/// All metrics of a process. Most are instruments, which count the events of one module; the others are set when the
/// metrics are read.
package struct AttachdMetrics: Sendable {
    package let origins: OriginMetrics
    package let sources: SourceMetrics
    package let decoders: DecoderMetrics
    package let store: StoreMetrics
    package let publishing: PublishMetrics
    package let processing: ProcessingMetrics
    package let requests: RequestMetrics
    package let queue: QueueMetrics
    package let process: ProcessMetrics
    package let traces: TraceMetrics
    private let registry: PrometheusRegistry

    /// Creates the metrics. The jobs of `tenants` are also counted for each of them.
    package init(tenants: Set<String> = []) {
        registry = PrometheusRegistry(help: Self.help)
        origins = OriginMetrics(registry)
        sources = SourceMetrics(registry)
        decoders = DecoderMetrics(registry)
        store = StoreMetrics(registry)
        publishing = PublishMetrics(registry)
        processing = ProcessingMetrics(registry)
        requests = RequestMetrics(registry)
        queue = QueueMetrics(registry, tenants: tenants)
        process = ProcessMetrics(registry)
        traces = TraceMetrics(registry)
    }

    private static let help = [
        OriginMetrics.help, SourceMetrics.help, DecoderMetrics.help, StoreMetrics.help, PublishMetrics.help,
        ProcessingMetrics.help, RequestMetrics.help, QueueMetrics.help, ProcessMetrics.help, TraceMetrics.help,
    ]
    .reduce(into: [:]) { $0.merge($1) { first, _ in first } }

    /// All metrics in Prometheus's text format.
    package var text: String { registry.text() }
}
