import Downloads
import Metrics
import Telemetry

/// The metrics of requests to origins. None has the origin as a label, because the number of origins is not bounded.
struct OriginMetrics: Sendable {
    static let help = [
        "attachd_origin_waits_total": "Requests that waited for a permit of their origin or of all origins together.",
        "attachd_origin_refusals_total":
            "Requests that were not made: the origin fails (failing), asked for a pause (paused), or has no free permit in time (late).",
        "attachd_origin_preemptions_total":
            "Downloads that were ended because others waited: too slow for their deadline (slow), or from a site with more than its share (share).",
        "attachd_origin_retries_total": "Requests that were repeated.",
        "attachd_origin_circuits_opened_total":
            "Times that an origin's circuit breaker opened because the origin failed.",
        "attachd_origins": "Origins whose state is in memory.",
        "attachd_origin_circuits_open": "Origins whose circuit breaker is open or being tested.",
        "attachd_origin_requests_in_flight": "Requests to origins under way.",
        "attachd_origin_requests_waiting": "Requests that wait for a permit.",
    ]

    private let counters: [OriginEvent: Counter]
    private let origins: Meter
    private let leftAlone: Meter
    private let inFlight: Meter
    private let waiting: Meter

    init(_ registry: PrometheusRegistry) {
        func counter(_ label: String, _ dimensions: [(String, String)] = []) -> Counter {
            Counter(label: label, dimensions: dimensions, factory: registry)
        }
        counters = [
            .waited: counter("attachd_origin_waits"),
            .refusedFailing: counter("attachd_origin_refusals", [("reason", "failing")]),
            .refusedPaused: counter("attachd_origin_refusals", [("reason", "paused")]),
            .refusedLate: counter("attachd_origin_refusals", [("reason", "late")]),
            .gaveWaySlow: counter("attachd_origin_preemptions", [("cause", "slow")]),
            .gaveWayShare: counter("attachd_origin_preemptions", [("cause", "share")]),
            .retried: counter("attachd_origin_retries"),
            .opened: counter("attachd_origin_circuits_opened"),
        ]
        origins = Meter(label: "attachd_origins", factory: registry)
        leftAlone = Meter(label: "attachd_origin_circuits_open", factory: registry)
        inFlight = Meter(label: "attachd_origin_requests_in_flight", factory: registry)
        waiting = Meter(label: "attachd_origin_requests_waiting", factory: registry)
    }

    func count(_ event: OriginEvent) { counters[event]?.increment() }

    func set(_ usage: OriginUsage) {
        origins.set(usage.origins)
        leftAlone.set(usage.refused)
        inFlight.set(usage.inFlight)
        waiting.set(usage.waiting)
    }
}
