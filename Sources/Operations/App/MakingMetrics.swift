import Metrics
import Processing
import Telemetry

/// How often work was done, and how often it was spared, made once at start.
struct MakingMetrics: Sendable {
    static let help = [
        "attachd_makings_total": "Downloads with their decoding that were begun.",
        "attachd_joined_total": "Attachments that waited for a making that others waited for too.",
        "attachd_reused_total": "Attachments that were made before, and were taken without asking the origin.",
        "attachd_revalidated_total": "Makings that ended with the origin's word that the source hasn't changed.",
    ]

    private let begun: Counter
    private let joined: Counter
    private let reused: Counter
    private let revalidated: Counter

    init(_ registry: PrometheusRegistry) {
        func counter(_ label: String) -> Counter { Counter(label: label, factory: registry) }
        begun = counter("attachd_makings")
        joined = counter("attachd_joined")
        reused = counter("attachd_reused")
        revalidated = counter("attachd_revalidated")
    }

    func count(_ event: MakingEvent) {
        switch event {
        case .begun: begun.increment()
        case .joined: joined.increment()
        case .reused: reused.increment()
        case .revalidated: revalidated.increment()
        }
    }
}
