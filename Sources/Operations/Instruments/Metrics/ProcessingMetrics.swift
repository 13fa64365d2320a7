import Events
import Media
import Metrics
import Payloads
package import Processing
import ServiceExtension
import Telemetry

/// The metrics of notifications and their attachments.
package struct ProcessingMetrics: Instrument {
    static let help = [
        "attachd_attachments_started_total": "Attachments whose download was started.",
        "attachd_attachments_joined_total": "Attachments that joined work already under way for another notification.",
        "attachd_attachments_reused_total":
            "Attachments taken from the cache without asking the origin.",
        "attachd_attachments_revalidated_total":
            "Attachments taken from the cache after the origin confirmed that the source has not changed.",
        "attachd_notifications_total":
            "Notifications answered, by outcome; none for those in which no attachment was looked for or found.",
        "attachd_rungs_total": "Attachments delivered, by rung.",
        "attachd_failures_total": "Attachments that failed or were not complete, by stage and reason.",
        "attachd_stage_seconds": "Time that each stage of a notification took.",
        "attachd_margin_seconds": "Time left until the deadline at delivery.",
        "attachd_fetched_bytes_total": "Bytes downloaded for attachments that were delivered.",
        "attachd_delivered_bytes_total": "Bytes of attachments delivered.",
    ]

    private let registry: PrometheusRegistry
    private let begun: Counter
    private let joined: Counter
    private let reused: Counter
    private let revalidated: Counter
    private let outcomes: [ProcessingResult.Outcome: Counter]
    private let withoutAttachment: Counter
    private let stages: [Stopwatch.Stage: Metrics.Timer]
    private let total: Metrics.Timer
    private let margin: Metrics.Timer
    private let fetched: Counter
    private let delivered: Counter

    init(_ registry: PrometheusRegistry) {
        self.registry = registry
        begun = registry.counter("attachd_attachments_started")
        joined = registry.counter("attachd_attachments_joined")
        reused = registry.counter("attachd_attachments_reused")
        revalidated = registry.counter("attachd_attachments_revalidated")
        outcomes = Dictionary(
            uniqueKeysWithValues: ProcessingResult.Outcome.allCases.map { outcome in
                (outcome, registry.counter("attachd_notifications", [("outcome", outcome.rawValue)]))
            }
        )
        withoutAttachment = registry.counter("attachd_notifications", [("outcome", "none")])
        stages = Dictionary(
            uniqueKeysWithValues: Stopwatch.Stage.allCases.map { stage in
                (stage, registry.timer("attachd_stage", [("stage", stage.rawValue)]))
            }
        )
        total = registry.timer("attachd_stage", [("stage", "total")])
        margin = registry.timer("attachd_margin")
        fetched = registry.counter("attachd_fetched_bytes")
        delivered = registry.counter("attachd_delivered_bytes")
    }

    package func record(_ event: ProcessingEvent) {
        switch event {
        case .attachment(.begun): begun.increment()
        case .attachment(.joined): joined.increment()
        case .attachment(.reused): reused.increment()
        case .attachment(.revalidated): revalidated.increment()
        case .answered(let result): count(result)
        }
    }

    private func count(_ result: ProcessingResult) {
        // Alerts on originals are about attachments that got lost.
        let isWithout = result.request.notification.attachments.isEmpty && result.failures.isEmpty
        (isWithout ? withoutAttachment : outcomes[result.outcome])?.increment()
        for (stage, duration) in result.stages { stages[stage]?.record(duration: duration) }
        total.record(duration: result.total)
        margin.record(duration: result.margin)
        for attachment in result.attachments {
            let dimensions = [("rung", attachment.report.rung.rawValue)]
            registry.counter("attachd_rungs", dimensions).increment()
            fetched.increment(by: attachment.source.fetched)
            delivered.increment(by: attachment.report.byteCount)
        }
        for failure in result.failures {
            let dimensions = [("stage", failure.failure.stage.rawValue), ("reason", failure.failure.reason.rawValue)]
            registry.counter("attachd_failures", dimensions).increment()
        }
    }
}
