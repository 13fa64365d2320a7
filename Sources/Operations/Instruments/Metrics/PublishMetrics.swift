import Events
import Metrics
package import Publishing
import Telemetry

/// The metrics of the bucket.
package struct PublishMetrics: Instrument {
    static let help = [
        "attachd_published_total": "Files uploaded to the bucket.",
        "attachd_published_bytes_total": "Bytes of the files uploaded to the bucket.",
        "attachd_publish_reused_total": "Files that were in the bucket already.",
        "attachd_publish_retries_total": "Uploads that were repeated.",
        "attachd_publish_failures_total": "Uploads to the bucket that failed.",
        "attachd_publish_seconds": "Time that uploading a file to the bucket took.",
        "attachd_bucket_available": "1 while files are uploaded to the bucket, 0 while uploads pause after failures.",
    ]

    private let published: Counter
    private let bytes: Counter
    private let reused: Counter
    private let retries: Counter
    private let failures: Counter
    private let time: Timer
    private let availability: Meter

    init(_ registry: PrometheusRegistry) {
        published = registry.counter("attachd_published")
        bytes = registry.counter("attachd_published_bytes")
        reused = registry.counter("attachd_publish_reused")
        retries = registry.counter("attachd_publish_retries")
        failures = registry.counter("attachd_publish_failures")
        time = registry.timer("attachd_publish")
        availability = registry.meter("attachd_bucket_available")
    }

    package func record(_ event: PublishEvent) {
        switch event {
        case .published(let byteCount, let took):
            published.increment()
            bytes.increment(by: byteCount)
            time.record(duration: took)
        case .reused: reused.increment()
        case .retried: retries.increment()
        case .failed: failures.increment()
        // The meter of availability shows it.
        case .suspended: break
        }
    }

    package func set(isAvailable: Bool) { availability.set(isAvailable ? 1 : 0) }
}
