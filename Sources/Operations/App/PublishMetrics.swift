import Metrics
import Publishing
import Telemetry

/// The metrics of the bucket, made once at start.
struct PublishMetrics: Sendable {
    static let help = [
        "attachd_published_total": "Files put into the bucket.",
        "attachd_published_bytes_total": "Bytes of the files put into the bucket.",
        "attachd_publish_reused_total": "Files that were in the bucket already.",
        "attachd_publish_retries_total": "Files that were tried once more.",
        "attachd_publish_failures_total": "Files that could not be put into the bucket, each time counted.",
        "attachd_publish_seconds": "How long putting a file into the bucket took.",
        "attachd_bucket_available": "Whether files are put into the bucket: 1, or 0 while it is left alone.",
    ]

    private let published: Counter
    private let bytes: Counter
    private let reused: Counter
    private let retries: Counter
    private let failures: Counter
    private let time: Timer
    private let availability: Meter

    init(_ registry: PrometheusRegistry) {
        published = Counter(label: "attachd_published", factory: registry)
        bytes = Counter(label: "attachd_published_bytes", factory: registry)
        reused = Counter(label: "attachd_publish_reused", factory: registry)
        retries = Counter(label: "attachd_publish_retries", factory: registry)
        failures = Counter(label: "attachd_publish_failures", factory: registry)
        time = Timer(label: "attachd_publish", factory: registry)
        availability = Meter(label: "attachd_bucket_available", factory: registry)
    }

    func count(_ event: PublishEvent) {
        switch event {
        case .published(let byteCount, let took):
            published.increment()
            bytes.increment(by: byteCount)
            time.record(duration: took)
        case .reused: reused.increment()
        case .retried: retries.increment()
        case .failed: failures.increment()
        }
    }

    func set(isAvailable: Bool) { availability.set(isAvailable ? 1 : 0) }
}
