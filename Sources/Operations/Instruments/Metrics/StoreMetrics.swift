import Events
import Metrics
package import Storage
import Telemetry

/// The metrics of the store.
package struct StoreMetrics: Instrument {
    static let help = [
        "attachd_stored_total": "Attachments stored. Storing the same attachment again counts again.",
        "attachd_store_failures_total":
            "Attachments that could not be stored, by reason: the store was full, or writing failed.",
        "attachd_swept_total": "Ready files removed, by reason: expired, or removed to keep the quota.",
        "attachd_store_files": "Ready files in the store.",
        "attachd_store_bytes": "Bytes of the ready files in the store.",
    ]

    private let stored: Counter
    private let full: Counter
    private let failed: Counter
    private let expired: Counter
    private let madeWay: Counter
    private let files: Meter
    private let bytes: Meter

    init(_ registry: PrometheusRegistry) {
        stored = registry.counter("attachd_stored")
        full = registry.counter("attachd_store_failures", [("reason", "full")])
        failed = registry.counter("attachd_store_failures", [("reason", "failed")])
        expired = registry.counter("attachd_swept", [("reason", "expired")])
        madeWay = registry.counter("attachd_swept", [("reason", "madeWay")])
        files = registry.meter("attachd_store_files")
        bytes = registry.meter("attachd_store_bytes")
    }

    package func record(_ event: StoreEvent) {
        switch event {
        case .stored: stored.increment()
        case .removed(.expired, _): expired.increment()
        case .removed(.madeWay, _): madeWay.increment()
        case .failed(let isFull): (isFull ? full : failed).increment()
        }
    }

    package func set(_ usage: AttachmentStore.Usage) {
        files.set(usage.fileCount)
        bytes.set(usage.byteCount)
    }
}
