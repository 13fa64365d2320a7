import Downloads
import Metrics
import Telemetry

/// The metrics of what is asked of origins, made once at start. None of them names an origin: there may be any number.
struct OriginMetrics: Sendable {
    static let help = [
        "attachd_origin_waits_total": "Requests that waited for a place at their origin, or for one at all.",
        "attachd_origin_refusals_total":
            "Requests that were not made: the origin fails (failing), asked to be left alone (paused), or has no place (late).",
        "attachd_origin_preemptions_total":
            "Downloads that ended early because others waited: too slow for their deadline (slow), or of a site with more than its share (share).",
        "attachd_origin_retries_total": "Requests that were made once more.",
        "attachd_origin_circuits_opened_total": "Origins that began to be left alone because they failed.",
        "attachd_origins": "Origins that are remembered.",
        "attachd_origin_circuits_open": "Origins that are left alone because they failed, or are being tried again.",
        "attachd_origin_requests_in_flight": "Requests that origins work for.",
        "attachd_origin_requests_waiting": "Requests that wait for a place.",
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
