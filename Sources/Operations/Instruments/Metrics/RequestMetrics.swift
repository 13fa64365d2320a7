import Events
import Metrics
package import Sidecar
import Telemetry

/// The metrics of HTTP requests.
package struct RequestMetrics: Instrument {
    static let help = [
        "attachd_http_requests_total": "Requests answered, by method, route and status.",
        "attachd_jobs_busy_total": "Jobs refused because the queue was full.",
    ]

    private let registry: PrometheusRegistry
    private let busy: Counter

    init(_ registry: PrometheusRegistry) {
        self.registry = registry
        busy = registry.counter("attachd_jobs_busy")
    }

    package func record(_ event: SidecarEvent) {
        switch event {
        case .answered(let request): count(request)
        case .jobRefused: busy.increment()
        case .listening, .metricsListening: break
        }
    }

    private func count(_ request: AnsweredRequest) {
        let dimensions = [
            ("method", request.method), ("route", request.route ?? "none"), ("status", "\(request.status)"),
        ]
        registry.counter("attachd_http_requests", dimensions).increment()
    }
}
