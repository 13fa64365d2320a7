import Base
import Logging
package import Storage

/// The observer of the store.
package struct StoreObserver: EventRecorder {
    private let stored = Counter(
        "attachd_stored_total",
        "Attachments stored, including those that were already in the store.",
    )
    private let failures = Counter(
        "attachd_store_failures_total",
        "Attachments that could not be stored, by reason: the store was full, or writing failed.",
        by: "reason",
        with: ["full", "failed"],
    )
    private let swept = Counter(
        "attachd_swept_total",
        "Ready files removed, by reason: expired, or removed to keep the quota.",
        by: "reason",
        with: ["expired", "madeWay"],
    )
    private let files = Gauge("attachd_store_files", "Ready files in the store.")
    private let bytes = Gauge("attachd_store_bytes", "Bytes of the ready files in the store.")
    private let log: WarningLog

    init(log: WarningLog) { self.log = log }

    package func record(_ event: StoreEvent) {
        switch event {
        case .stored: stored.add()
        case .removed(.expired, _): swept.add("expired")
        case .removed(.madeWay, _): swept.add("madeWay")
        case .failed(isFull: true):
            failures.add("full")
            log.warn("An attachment was not stored: the disk or its quota is full.", ["reason": "storeFull"])
        case .failed(isFull: false):
            failures.add("failed")
            log.warn("An attachment was not stored.", ["reason": "storeFailed"])
        }
    }

    package func set(_ usage: AttachmentStore.Usage) {
        files.set(usage.fileCount)
        bytes.set(usage.byteCount)
    }
}

// MARK: - The bucket

/// The observer of the bucket.
package struct PublishObserver: EventRecorder {
    private let published = Counter("attachd_published_total", "Files uploaded to the bucket.")
    private let bytes = Counter("attachd_published_bytes_total", "Bytes of the files uploaded to the bucket.")
    private let reused = Counter("attachd_publish_reused_total", "Files that were already in the bucket.")
    private let retries = Counter("attachd_publish_retries_total", "Uploads that were repeated.")
    private let failures = Counter("attachd_publish_failures_total", "Uploads to the bucket that failed.")
    private let time = Histogram("attachd_publish_seconds", "Time to upload a file to the bucket.")
    private let availability = Gauge(
        "attachd_bucket_available",
        "1 while files are uploaded to the bucket, 0 while uploads pause after failures.",
    )
    private let log: WarningLog
    private let tracer: SpanTracer?

    init(log: WarningLog, tracer: SpanTracer?) {
        self.log = log
        self.tracer = tracer
    }

    package func record(_ event: PublishEvent) {
        switch event {
        case .published(let byteCount, let took):
            published.add()
            bytes.add(by: byteCount)
            time.record(took)
            let end = UnixTime.now
            let attributes: SpanAttributes = ["attachd.bytes": .number(byteCount)]
            tracer?.span("publish", .client, below: .current, from: end - took, attributes).end(at: end)
        case .reused: reused.add()
        case .retried: retries.add()
        case .failed:
            failures.add()
            log.warn("A file was not published.", ["reason": "publishFailed"])
        // The gauge of availability shows it, too.
        case .suspended(let reason):
            log.warn("The bucket failed too often and is left alone for a while.", ["reason": "\(reason)"])
        }
    }

    package func set(isAvailable: Bool) { availability.set(isAvailable ? 1 : 0) }
}
