import Metrics
import Processing
import Telemetry

/// How often work was done, and how often it was spared, made once at start.
struct AttachmentMetrics: Sendable {
    static let help = [
        "attachd_attachments_started_total": "Downloads with their decoding that were begun.",
        "attachd_attachments_joined_total": "Attachments that waited for a making that others waited for too.",
        "attachd_attachments_reused_total":
            "Attachments that were made before, and were taken without asking the origin.",
        "attachd_attachments_revalidated_total":
            "Makings that ended with the origin's word that the source hasn't changed.",
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
