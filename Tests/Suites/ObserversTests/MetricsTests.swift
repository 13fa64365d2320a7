import Base
import HTTPClient
import Jobs
import Logging
import Media
import Observability
import Sidecar
import Storage
import Testing

@Suite("Events as metrics")
struct MetricsTests {
    private let observers = Observers.silent()

    /// Returns the counters that are not 0, with their values.
    private var counted: Set<String> {
        let lines = observers.text.split(separator: "\n").filter { !$0.hasPrefix("#") && !$0.hasSuffix(" 0") }
        return Set(lines.map(String.init).filter { $0.contains("_total") })
    }

    @Test("each event of origins has its own counter")
    func origins() {
        let events: [OriginEvent] = [
            .waited, .refusedFailing, .refusedPaused, .refusedLate, .preemptedSlow, .preemptedForShare, .retried,
            .opened(host: "a.example"),
        ]
        for (index, event) in events.enumerated() {
            for _ in 0...index { observers.origins.record(event) }
        }
        #expect(
            counted == [
                "attachd_origin_waits_total 1", "attachd_origin_refusals_total{reason=\"failing\"} 2",
                "attachd_origin_refusals_total{reason=\"paused\"} 3",
                "attachd_origin_refusals_total{reason=\"late\"} 4",
                "attachd_origin_preemptions_total{cause=\"slow\"} 5",
                "attachd_origin_preemptions_total{cause=\"share\"} 6", "attachd_origin_retries_total 7",
                "attachd_origin_circuits_opened_total 8",
            ]
        )
    }

    @Test(
        "the version and the commit are labels of a gauge that is 1",
        arguments: [(nil, "unknown"), ("45ebb187266d01ef43a4", "45ebb187266d01ef43a4")]
    )
    func build(commit: String?, label: String) {
        observers.process.set(version: "9.8", commit: commit)
        #expect(observers.text.contains("attachd_build_info{commit=\"\(label)\",version=\"9.8\"} 1\n"))
    }

    @Test("events of the store are counted by their reasons")
    func store() {
        let events: [StoreEvent] = [
            .stored(byteCount: 1), .removed(.expired, byteCount: 1), .removed(.madeWay, byteCount: 1),
            .failed(isFull: true), .failed(isFull: false),
        ]
        for event in events { observers.store.record(event) }
        #expect(
            counted == [
                "attachd_stored_total 1", "attachd_swept_total{reason=\"expired\"} 1",
                "attachd_swept_total{reason=\"madeWay\"} 1", "attachd_store_failures_total{reason=\"full\"} 1",
                "attachd_store_failures_total{reason=\"failed\"} 1",
            ]
        )
    }

    @Test("pauses and losses of sources are counted, and their memory is a gauge")
    func sourceMemory() {
        for event in [SourceMemoryEvent.paused, .paused, .trimmed, .tookBack, .ended] {
            observers.sourceMemory.record(event)
        }
        observers.sourceMemory.set(SourceMemory.Usage(heldBytes: 5, byteLimit: 7))
        #expect(
            counted == [
                "attachd_source_memory_waits_total 2", "attachd_source_memory_losses_total{kind=\"reserved\"} 1",
                "attachd_source_memory_losses_total{kind=\"bytes\"} 1",
                "attachd_source_memory_losses_total{kind=\"rest\"} 1",
            ]
        )
        #expect(observers.text.contains("attachd_source_memory_bytes 5\n"))
        #expect(observers.text.contains("attachd_source_memory_limit_bytes 7\n"))
    }

    @Test("a refused job and jobs of the worker are counted")
    func jobs() {
        observers.requests.record(.jobRefused)
        for event in [WorkerEvent.lost(2), .reclaimed(3), .gaveBack(4), .callback(.received)] {
            observers.workers.record(event)
        }
        #expect(
            counted == [
                "attachd_jobs_busy_total 1", "attachd_jobs_lost_total 2", "attachd_jobs_reclaimed_total 3",
                "attachd_jobs_returned_total 4", "attachd_callbacks_total{outcome=\"received\"} 1",
            ]
        )
    }
}

extension Observers {
    /// Returns observers without a log.
    static func silent(tracer: SpanTracer? = nil) -> Observers {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let warnings = WarningLog(logger)
        return Observers(
            logger,
            warnings,
            sample: 1,
            exports: SpanExportObserver(log: warnings),
            tracer: tracer,
        )
    }
}
