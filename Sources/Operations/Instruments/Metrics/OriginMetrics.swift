import Events
package import HTTPClient
import Metrics
import Telemetry

/// The metrics of requests to origins. None has the origin as a label, because the number of origins is not bounded.
package struct OriginMetrics: Instrument {
    static let help = [
        "attachd_origin_waits_total": "Requests that waited for a permit of their origin or of all origins together.",
        "attachd_origin_refusals_total":
            "Requests that were not made: the origin fails (failing), asked for a pause (paused), or has no free permit in time (late).",
        "attachd_origin_preemptions_total":
            "Downloads that were ended because others waited: too slow for their deadline (slow), or from a site with more than its share (share).",
        "attachd_origin_retries_total": "Requests that were repeated.",
        "attachd_origin_circuits_opened_total":
            "Times that an origin's circuit breaker opened because the origin failed.",
        "attachd_origin_cutoffs_total":
            "Times that a site's connections were cut off because they kept their thread busy without sending data.",
        "attachd_origins": "Origins whose state is in memory.",
        "attachd_origin_circuits_open": "Origins whose circuit breaker is open or being tested.",
        "attachd_origin_requests_in_flight": "Requests to origins under way.",
        "attachd_origin_requests_waiting": "Requests that wait for a permit.",
        "attachd_origin_threads":
            "Threads for requests to sites: with a request (working), or with kept connections (idle).",
    ]

    private let waits: Counter
    private let failing: Counter
    private let paused: Counter
    private let late: Counter
    private let slow: Counter
    private let share: Counter
    private let retries: Counter
    private let circuitsOpened: Counter
    private let cutOffs: Counter
    private let origins: Meter
    private let circuitsOpen: Meter
    private let inFlight: Meter
    private let waiting: Meter
    private let workingThreads: Meter
    private let idleThreads: Meter

    init(_ registry: PrometheusRegistry) {
        waits = registry.counter("attachd_origin_waits")
        failing = registry.counter("attachd_origin_refusals", [("reason", "failing")])
        paused = registry.counter("attachd_origin_refusals", [("reason", "paused")])
        late = registry.counter("attachd_origin_refusals", [("reason", "late")])
        slow = registry.counter("attachd_origin_preemptions", [("cause", "slow")])
        share = registry.counter("attachd_origin_preemptions", [("cause", "share")])
        retries = registry.counter("attachd_origin_retries")
        circuitsOpened = registry.counter("attachd_origin_circuits_opened")
        cutOffs = registry.counter("attachd_origin_cutoffs")
        origins = registry.meter("attachd_origins")
        circuitsOpen = registry.meter("attachd_origin_circuits_open")
        inFlight = registry.meter("attachd_origin_requests_in_flight")
        waiting = registry.meter("attachd_origin_requests_waiting")
        workingThreads = registry.meter("attachd_origin_threads", [("state", "working")])
        idleThreads = registry.meter("attachd_origin_threads", [("state", "idle")])
    }

    package func record(_ event: OriginEvent) {
        switch event {
        case .waited: waits.increment()
        case .refusedFailing: failing.increment()
        case .refusedPaused: paused.increment()
        case .refusedLate: late.increment()
        case .preemptedSlow: slow.increment()
        case .preemptedForShare: share.increment()
        case .retried: retries.increment()
        case .opened: circuitsOpened.increment()
        case .cutOff: cutOffs.increment()
        // The failure of the attachment is counted; the log has the cause.
        case .refusedHost, .lackedCredentials, .refusedAccess: break
        }
    }

    package func set(_ usage: OriginUsage) {
        origins.set(usage.origins)
        circuitsOpen.set(usage.refused)
        inFlight.set(usage.inFlight)
        waiting.set(usage.waiting)
    }

    package func setThreads(working: Int, idle: Int) {
        workingThreads.set(working)
        idleThreads.set(idle)
    }
}
