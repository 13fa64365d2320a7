import Media
import Metrics
import Telemetry

/// The metric of the essential loops.
struct LoopMetrics: Sendable {
    static let help = [
        "attachd_loop_stalled_seconds": "Time since an essential loop stalled; 0 while it runs."
    ]

    private let registry: PrometheusRegistry

    init(_ registry: PrometheusRegistry) { self.registry = registry }

    func set(_ standstills: [String: Duration]) {
        for (name, duration) in standstills {
            let meter = Meter(label: "attachd_loop_stalled_seconds", dimensions: [("loop", name)], factory: registry)
            meter.set(duration / .seconds(1))
        }
    }
}
