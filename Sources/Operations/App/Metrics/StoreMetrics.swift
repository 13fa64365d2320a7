import Metrics
import Storage
import Telemetry

/// The metrics of the store.
struct StoreMetrics: Sendable {
    private let stored: Counter
    private let full: Counter
    private let failed: Counter
    private let swept: [StoreEvent.Removal: Counter]
    private let files: Meter
    private let bytes: Meter

    init(_ registry: PrometheusRegistry) {
        func counter(_ label: String, _ dimensions: [(String, String)] = []) -> Counter {
            Counter(label: label, dimensions: dimensions, factory: registry)
        }
        stored = counter("attachd_stored")
        full = counter("attachd_store_failures", [("reason", "full")])
        failed = counter("attachd_store_failures", [("reason", "failed")])
        swept = Dictionary(
            uniqueKeysWithValues: StoreEvent.Removal.allCases.map { removal in
                (removal, counter("attachd_swept", [("reason", removal.rawValue)]))
            }
        )
        files = Meter(label: "attachd_store_files", factory: registry)
        bytes = Meter(label: "attachd_store_bytes", factory: registry)
    }

    func count(_ event: StoreEvent) {
        switch event {
        case .stored: stored.increment()
        case .removed(let removal, _): swept[removal]?.increment()
        case .failed(let isFull): (isFull ? full : failed).increment()
        }
    }

    func set(_ usage: AttachmentStore.Usage) {
        files.set(usage.fileCount)
        bytes.set(usage.byteCount)
    }
}
