import Events
import Metrics
import Telemetry
package import Traces

/// The metrics of traces.
package struct TraceMetrics: Instrument {
    static let help = [
        "attachd_spans_exported_total": "Spans that the collector took.",
        "attachd_spans_dropped_total":
            "Spans that were not delivered, by reason: queue_full or collector.",
    ]

    private let registry: PrometheusRegistry
    private let exported: Counter

    init(_ registry: PrometheusRegistry) {
        self.registry = registry
        exported = registry.counter("attachd_spans_exported")
    }

    package func record(_ event: SpanExportEvent) {
        switch event {
        case .exported(let count): exported.increment(by: count)
        case .dropped(let count, let loss):
            registry.counter("attachd_spans_dropped", [("reason", loss.name)]).increment(by: count)
        }
    }
}
