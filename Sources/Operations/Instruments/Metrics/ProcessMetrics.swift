import Metrics
import Telemetry

/// The metrics of the process as a whole. They are set when they are read.
package struct ProcessMetrics: Sendable {
    static let help = [
        "attachd_build_info": "1, with the version of attachd and the commit of its sources as labels.",
        "attachd_loop_stalled_seconds": "Time since an essential loop stalled; 0 while it runs.",
        "process_resident_memory_bytes": "Resident memory of the worker, without its decoder processes.",
    ]

    private let registry: PrometheusRegistry
    private let resident: Meter

    init(_ registry: PrometheusRegistry) {
        self.registry = registry
        resident = registry.meter("process_resident_memory_bytes")
    }

    /// Records the time since each loop, by its name, has stalled.
    package func set(_ standstills: [String: Duration]) {
        for (name, duration) in standstills {
            let meter = registry.meter("attachd_loop_stalled_seconds", [("loop", name)])
            meter.set(duration / .seconds(1))
        }
    }

    /// Records which program this is. A build from a working copy has no commit.
    package func set(version: String, commit: String?) {
        registry.meter("attachd_build_info", [("version", version), ("commit", commit ?? "unknown")]).set(1)
    }

    package func set(residentBytes: Int) { resident.set(residentBytes) }
}
