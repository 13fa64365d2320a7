import Metrics
import Processing
import Telemetry

/// The metrics of attachment work that was started, and of work that was saved by sharing it.
struct AttachmentMetrics: Sendable {
    static let help = [
        "attachd_attachments_started_total": "Attachments whose download was started.",
        "attachd_attachments_joined_total": "Attachments that joined work already under way for another notification.",
        "attachd_attachments_reused_total":
            "Attachments taken from the cache without asking the origin.",
        "attachd_attachments_revalidated_total":
            "Attachments taken from the cache after the origin confirmed that the source has not changed.",
    ]

    private let begun: Counter
    private let joined: Counter
    private let reused: Counter
    private let revalidated: Counter

    init(_ registry: PrometheusRegistry) {
        func counter(_ label: String) -> Counter { Counter(label: label, factory: registry) }
        begun = counter("attachd_attachments_started")
        joined = counter("attachd_attachments_joined")
        reused = counter("attachd_attachments_reused")
        revalidated = counter("attachd_attachments_revalidated")
    }

    func count(_ event: AttachmentEvent) {
        switch event {
        case .begun: begun.increment()
        case .joined: joined.increment()
        case .reused: reused.increment()
        case .revalidated: revalidated.increment()
        }
    }
}
