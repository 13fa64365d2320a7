import DecoderWire
import Decoding
import Downloads
import Glibc
import Media
import Metrics
import Processing
import Publishing
import ServiceExtension
import Sidecar
import Storage
import Telemetry

/// The metrics of notifications, decoders, and the store.
struct EngineMetrics: Sendable {
    static let help = [
        "attachd_notifications_total": "Notifications answered, by outcome.",
        "attachd_http_requests_total": "Requests answered, by method, route and status.",
        "attachd_rungs_total": "Attachments delivered, by rung.",
        "attachd_failures_total": "Attachments that failed or were not complete, by stage and reason.",
        "attachd_stage_seconds": "Time that each stage of a notification took.",
        "attachd_margin_seconds": "Time left until the deadline at delivery.",
        "attachd_fetched_bytes_total": "Bytes downloaded for attachments that were delivered.",
        "attachd_delivered_bytes_total": "Bytes of attachments delivered.",
        "attachd_decoder_processor_seconds": "Processor time of each decoder process.",
        "attachd_decoder_deaths_total": "Decoder processes that died, by signal; 31 is a forbidden system call.",
        "attachd_zygote_replacements_total":
            "Zygotes replaced because a decoder process crashed or sent invalid messages.",
        "attachd_stored_total": "Attachments stored. Storing the same attachment again counts again.",
        "attachd_store_failures_total":
            "Attachments that could not be stored, by reason: the store was full, or writing failed.",
        "attachd_swept_total": "Ready files removed, by reason: expired, or removed to keep the quota.",
        "attachd_store_files": "Ready files in the store.",
        "attachd_store_bytes": "Bytes of the ready files in the store.",
        "process_resident_memory_bytes": "Resident memory of the worker, without its decoder processes.",
        "attachd_sandbox_layer": "1 if this layer of the sandbox confines the decoder processes, otherwise 0.",
    ]

    private let registry: PrometheusRegistry
    private let outcomes: [ProcessingResult.Outcome: Counter]
    private let stages: [Stopwatch.Stage: Metrics.Timer]
    private let total: Metrics.Timer
    private let margin: Metrics.Timer
    private let fetched: Counter
    private let delivered: Counter
    private let decoderTime: Metrics.Timer
    private let replacements: Counter
    private let layers: [SandboxLayer: Meter]
    private let store: StoreMetrics
    private let resident: Meter
    private let publishing: PublishMetrics
    private let origins: OriginMetrics
    private let loops: LoopMetrics

    init(_ registry: PrometheusRegistry) {
        func timer(_ stage: String) -> Metrics.Timer {
            Metrics.Timer(label: "attachd_stage", dimensions: [("stage", stage)], factory: registry)
        }
        self.registry = registry
        outcomes = Dictionary(
            uniqueKeysWithValues: ProcessingResult.Outcome.allCases.map { outcome in
                let dimensions = [("outcome", outcome.rawValue)]
                return (outcome, Counter(label: "attachd_notifications", dimensions: dimensions, factory: registry))
            }
        )
        stages = Dictionary(uniqueKeysWithValues: Stopwatch.Stage.allCases.map { ($0, timer($0.rawValue)) })
        total = timer("total")
        margin = Metrics.Timer(label: "attachd_margin", factory: registry)
        fetched = Counter(label: "attachd_fetched_bytes", factory: registry)
        delivered = Counter(label: "attachd_delivered_bytes", factory: registry)
        decoderTime = Metrics.Timer(label: "attachd_decoder_processor", factory: registry)
        replacements = Counter(label: "attachd_zygote_replacements", dimensions: [], factory: registry)
        layers = Dictionary(
            uniqueKeysWithValues: SandboxLayer.allCases.map { layer in
                let dimensions = [("layer", layer.rawValue)]
                return (layer, Meter(label: "attachd_sandbox_layer", dimensions: dimensions, factory: registry))
            }
        )
        store = StoreMetrics(registry)
        resident = Meter(label: "process_resident_memory_bytes", factory: registry)
        publishing = PublishMetrics(registry)
        origins = OriginMetrics(registry)
        loops = LoopMetrics(registry)
        // Creates these counters before the first death: a rule on the increase would otherwise miss it.
        for signal in [SIGKILL, SIGSEGV, SIGSYS] { countDeath(by: Int(signal), 0) }
    }

    func count(_ event: DecoderEvent) {
        switch event {
        case .childReaped(_, let usage): decoderTime.record(duration: .microseconds(usage.processorMicroseconds))
        case .childEnded(_, .killed(let signal)):
            countDeath(by: Int(signal))
        case .zygoteReplaced: replacements.increment()
        case .childEnded, .zygoteReady, .zygoteEnded, .zygoteMissing: break
        }
    }

    private func countDeath(by signal: Int, _ count: Int = 1) {
        let dimensions = [("signal", "\(signal)")]
        Counter(label: "attachd_decoder_deaths", dimensions: dimensions, factory: registry).increment(by: count)
    }

    func count(_ request: AnsweredRequest) {
        let dimensions = [
            ("method", request.method), ("route", request.route ?? "none"), ("status", "\(request.status)"),
        ]
        Counter(label: "attachd_http_requests", dimensions: dimensions, factory: registry).increment()
    }

    func count(_ event: StoreEvent) { store.count(event) }

    func count(_ event: PublishEvent) { publishing.count(event) }

    func count(_ event: OriginEvent) { origins.count(event) }

    func set(_ usage: OriginUsage) { origins.set(usage) }

    func set(_ standstills: [String: Duration]) { loops.set(standstills) }

    func setBucket(isAvailable: Bool) { publishing.set(isAvailable: isAvailable) }

    func set(_ usage: AttachmentStore.Usage) { store.set(usage) }

    func setResident(_ bytes: Int) { resident.set(bytes) }

    func set(_ sandbox: SandboxReport?) {
        for (layer, meter) in layers { meter.set(sandbox?[layer] == .on ? 1 : 0) }
    }

    func count(_ result: ProcessingResult) {
        outcomes[result.outcome]?.increment()
        for (stage, duration) in result.stages { stages[stage]?.record(duration: duration) }
        total.record(duration: result.total)
        margin.record(duration: result.margin)
        for attachment in result.attachments {
            let dimensions = [("rung", attachment.report.rung.rawValue)]
            Counter(label: "attachd_rungs", dimensions: dimensions, factory: registry).increment()
            fetched.increment(by: attachment.source.fetched)
            delivered.increment(by: attachment.report.byteCount)
        }
        for failure in result.failures {
            let dimensions = [("stage", failure.failure.stage.rawValue), ("reason", failure.failure.reason.rawValue)]
            Counter(label: "attachd_failures", dimensions: dimensions, factory: registry).increment()
        }
    }
}
