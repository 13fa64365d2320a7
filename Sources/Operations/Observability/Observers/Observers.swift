import Base
package import Logging

/// The observers of a process. Each is the only recorder of one type of events: in one `switch`, it counts an event, logs it,
/// and shows it in traces.
package struct Observers: Sendable {
    package let origins: OriginObserver
    package let sourceMemory = SourceMemoryObserver()
    package let decoders: DecoderObserver
    package let store: StoreObserver
    package let publishing: PublishObserver
    package let processing: ProcessingObserver
    package let requests: SidecarObserver
    package let workers: WorkerObserver
    package let fleet: FleetObserver
    package let exports: SpanExportObserver
    package let process = ProcessMetrics()

    /// Creates the observers. One of `sample` notifications has a line in the log, or none if that is `nil`. The jobs of
    /// `tenants` are also counted for each of them. `tracer` is `nil` if traces are off.
    package init(
        _ log: Logger,
        _ warnings: WarningLog,
        sample: Int?,
        tenants: Set<String> = [],
        exports: SpanExportObserver,
        tracer: SpanTracer? = nil,
    ) {
        origins = OriginObserver(log: warnings)
        decoders = DecoderObserver(log: warnings)
        store = StoreObserver(log: warnings)
        publishing = PublishObserver(log: warnings, tracer: tracer)
        processing = ProcessingObserver(log: log, sample: sample, tracer: tracer)
        requests = SidecarObserver(log: log, tracer: tracer)
        workers = WorkerObserver(log: warnings, tenants: tenants, tracer: tracer)
        fleet = FleetObserver(log: warnings)
        self.exports = exports
    }

    /// All metrics in Prometheus's text format: the properties of the observers that are metrics.
    package var text: String {
        let observers = Mirror(reflecting: self).children.map(\.value)
        let metrics = observers.flatMap {
            Mirror(reflecting: $0).children.compactMap { $0.value as? any WrittenMetric }
        }
        return metrics.sorted { $0.name < $1.name }.map(\.text).joined()
    }
}

// MARK: - The process

/// The metrics of the process as a whole. They are set when they are read.
package struct ProcessMetrics: Sendable {
    private let build = Gauge(
        "attachd_build_info",
        "1, with the version of attachd and the commit of its sources as labels.",
        by: "commit",
        "version",
    )
    private let stalled = Gauge(
        "attachd_loop_stalled_seconds",
        "Time for which an essential loop has been stalled; 0 while it runs.",
        by: "loop",
    )
    private let resident = Gauge(
        "process_resident_memory_bytes",
        "Resident memory of the worker, without its decoder processes.",
    )

    /// Records the time since each loop, by its name, has stalled.
    package func set(_ standstills: [String: Duration]) {
        for (name, duration) in standstills { stalled.set(duration / .seconds(1), name) }
    }

    /// Records which program this is. A build from a working copy has no commit.
    package func set(version: String, commit: String?) { build.set(1, commit ?? "unknown", version) }

    package func set(residentBytes: Int) { resident.set(residentBytes) }
}

// MARK: - Traces

/// The observer of spans on their way to the collector.
package struct SpanExportObserver: EventRecorder {
    private let exported = Counter("attachd_spans_exported_total", "Spans that the collector accepted.")
    private let dropped = Counter(
        "attachd_spans_dropped_total",
        "Spans that were not delivered, by reason: queue_full or collector.",
        by: "reason",
    )
    private let log: WarningLog

    package init(log: WarningLog) { self.log = log }

    package func record(_ event: SpanExportEvent) {
        switch event {
        case .exported(let count): exported.add(by: count)
        case .dropped(let count, .queueFull):
            dropped.add("queue_full", by: count)
            log.warn("Spans were dropped because the collector is too slow.", ["spans": "\(count)"])
        case .dropped(let count, .collector(let reason)):
            dropped.add("collector", by: count)
            log.warn("The collector did not take spans.", ["spans": "\(count)", "reason": "\(reason)"])
        }
    }
}
