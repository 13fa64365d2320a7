import Base
package import HTTPClient
import Logging
package import Media

/// The observer of requests to origins. No metric has the origin as a label, because the number of origins is not bounded.
/// The log has what the sender of a notification must not learn.
package struct OriginObserver: EventRecorder {
    private let waits = Counter(
        "attachd_origin_waits_total",
        "Requests that waited for a permit of their origin or of all origins together.",
    )
    private let refusals = Counter(
        "attachd_origin_refusals_total",
        "Requests that were not sent: the origin fails (failing), asked for a pause (paused), or had no free permit in time (late).",
        by: "reason",
        with: ["failing", "paused", "late"],
    )
    private let preemptions = Counter(
        "attachd_origin_preemptions_total",
        "Downloads ended because others waited: too slow for their deadline (slow), or from a site that used more than its share (share).",
        by: "cause",
        with: ["slow", "share"],
    )
    private let retries = Counter("attachd_origin_retries_total", "Requests that were repeated.")
    private let circuitsOpened = Counter(
        "attachd_origin_circuits_opened_total",
        "Times that an origin's circuit breaker opened because the origin failed.",
    )
    private let cutOffs = Counter(
        "attachd_origin_cutoffs_total",
        "Times that a site's connections were cut off because they kept their thread busy without sending data.",
    )
    private let origins = Gauge("attachd_origins", "Origins whose state is in memory.")
    private let circuitsOpen = Gauge(
        "attachd_origin_circuits_open",
        "Origins whose circuit breaker is open or being tested.",
    )
    private let inFlight = Gauge("attachd_origin_requests_in_flight", "Requests to origins in progress.")
    private let waiting = Gauge("attachd_origin_requests_waiting", "Requests waiting for a permit.")
    private let threads = Gauge(
        "attachd_origin_threads",
        "Threads for requests to sites: with a request (working), or with kept connections (idle).",
        by: "state",
        with: ["working", "idle"],
    )
    private let log: WarningLog

    init(log: WarningLog) { self.log = log }

    package func record(_ event: OriginEvent) {
        switch event {
        case .waited: waits.add()
        case .refusedFailing: refusals.add("failing")
        case .refusedPaused: refusals.add("paused")
        case .refusedLate: refusals.add("late")
        case .preemptedSlow: preemptions.add("slow")
        case .preemptedForShare: preemptions.add("share")
        case .retried: retries.add()
        case .opened(let host):
            circuitsOpened.add()
            log.warn("An origin failed too often and is left alone for a while.", ["source_host": "\(host)"])
        case .cutOff(let host):
            cutOffs.add()
            log.warn(
                "A site kept its thread busy without sending data. Its connections were cut off, and it is left alone for a while.",
                ["source_host": "\(host)"],
            )
        // Of these three, the failure of the attachment is counted; the log has the cause.
        case .refusedHost(let cause):
            log.warn(
                "The host's address is not allowed, so the download was refused.",
                level: .info,
                ["reason": "refusedAddress", "source_host": "\(cause.host)", "cause": "\(cause)"],
            )
        case .lackedCredentials(let cause):
            log.warn("The credentials for a source cannot be read.", ["cause": "\(cause)"])
        case .refusedAccess(let rule, let status):
            log.warn(
                "An origin refused the key of a rule in \"sources\". Renew the key, or give it the right to read.",
                ["rule": "\(rule)", "status": "\(status)"],
            )
        }
    }

    package func set(_ usage: OriginUsage) {
        origins.set(usage.origins)
        circuitsOpen.set(usage.refused)
        inFlight.set(usage.inFlight)
        waiting.set(usage.waiting)
    }

    package func setThreads(working: Int, idle: Int) {
        threads.set(working, "working")
        threads.set(idle, "idle")
    }
}

// MARK: - Memory of sources

/// The observer of the memory for the bytes of sources.
package struct SourceMemoryObserver: EventRecorder {
    private let held = Gauge("attachd_source_memory_bytes", "Memory that sources have reserved, in bytes.")
    private let limit = Gauge(
        "attachd_source_memory_limit_bytes",
        "Memory that all sources together may use, in bytes.",
    )
    private let waits = Counter(
        "attachd_source_memory_waits_total",
        "Downloads that paused because other sources used the memory.",
    )
    private let losses = Counter(
        "attachd_source_memory_losses_total",
        "Sources that lost memory to others: reserved memory that they had not used (reserved), bytes that are downloaded again (bytes), or the rest of their download (rest).",
        by: "kind",
        with: ["reserved", "bytes", "rest"],
    )

    package func record(_ event: SourceMemoryEvent) {
        switch event {
        case .paused: waits.add()
        case .trimmed: losses.add("reserved")
        case .tookBack: losses.add("bytes")
        case .ended: losses.add("rest")
        }
    }

    package func set(_ usage: SourceMemory.Usage) {
        held.set(usage.heldBytes)
        limit.set(usage.byteLimit)
    }
}
