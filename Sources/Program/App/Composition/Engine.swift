import Base
import DecoderWire
package import Decoding
import Downloads
import Files
import Glibc
import HTTPClient
import Jobs
package import Logging
package import Media
package import Observability
import Payloads
package import Processing
package import Settings
import Sidecar
package import Storage

/// The parts of a running attachd, put together. This is the only type that knows every implementation.
package final class Engine: Sendable {
    package let service: NotificationService
    package let store: AttachmentStore
    package let decoders: DecoderPool
    /// The formats and codecs that are switched off.
    package let formats: FormatSwitch
    /// The bucket that ready files are published to; `nil` if the settings name none.
    package let bucket: Bucket?
    /// The index of what the fleet made ready ahead of time; `nil` if there is no fleet with a bucket.
    let fleetIndex: FleetIndex?
    /// This worker's knowledge of deletions in its fleet, or `nil` without a fleet.
    let fleet: FleetKnowledge?
    let downloader: Downloader
    /// The memory for the bytes of sources.
    let sourceMemory: SourceMemory
    /// The recorders of all events.
    let observers: Observers
    /// The cost of jobs, learnt from those before.
    let cost: JobCost
    /// The tracer and its exports; `nil` if traces are off.
    let traces: RunningTraces?

    /// Creates the parts. With `readsLocalFiles`, `file:` URLs and paths are attachments too; only the command line
    /// sets it.
    package init(_ settings: Settings, readsLocalFiles: Bool, traces: TraceSettings? = nil, logger: Logger)
        throws(EngineError)
    {
        let warnings = WarningLog(logger)
        let exports = SpanExportObserver(log: warnings)
        self.traces = traces.map { RunningTraces($0, settings.downloads.http, exports) }
        observers = Observers(
            logger,
            warnings,
            // A command reports its one result by itself.
            sample: readsLocalFiles ? nil : settings.logSample,
            tenants: Set(settings.tenants.keys),
            exports: exports,
            tracer: self.traces?.tracer,
        )
        let formats = FormatSwitch(settings: settings.disabledFormats)
        self.formats = formats
        sourceMemory = SourceMemory(byteLimit: Self.sourceMemory, recorder: observers.sourceMemory)
        let cost = JobCost(slots: settings.jobSlots, decoders: settings.decoders)
        self.cost = cost
        // The decoder's libraries load while the store is opened.
        do throws(AttachmentFailure) {
            decoders = try Self.startDecoders(
                settings,
                running: settings.decoders,
                formats: formats,
                recorder: RecorderGroup<DecoderEvent>(observers.decoders, DecodingCost(cost: cost)),
            )
        } catch {
            throw EngineError(isStore: false, description: error.message)
        }
        do throws(FileError) {
            store = try AttachmentStore(settings, recorder: observers.store)
        } catch {
            Task { [decoders] in await decoders.shutDown() }
            throw EngineError(
                isStore: !error.concernsSecret,
                isMisconfigured: error.concernsSecret,
                description: "\(error)",
            )
        }
        downloader = Downloader(settings: settings.downloads, recorder: observers.origins)
        downloader.client.knownSites = store.lines(in: StoreSweeper.sitesFile)
        bucket = settings.publishing.map { [observers] publishing in
            Bucket(publishing, keep: settings.retention.keep, recorder: observers.publishing)
        }
        observers.decoders.set(settings.disabledFormats)
        fleetIndex = Self.fleetIndex(settings, store, bucket)
        var fleet: FleetKnowledge?
        if settings.queue.isShared, !readsLocalFiles {
            fleet = FleetKnowledge(keep: settings.retention.keep, recorder: observers.fleet)
        }
        self.fleet = fleet
        let steps = AttachmentPipeline.Steps(
            downloader: readsLocalFiles ? LocalFileReader(remote: downloader) : downloader,
            converter: decoders,
            store: PublishedStore(
                store: store,
                location: Self.location(settings, readsLocalFiles, store, bucket),
                fleet: fleet,
            ),
        )
        service = NotificationService(
            reader: PayloadReader(dialects: settings.dialects),
            pipeline: AttachmentPipeline(
                steps: steps,
                reuse: settings.reuse,
                index: fleetIndex,
                memory: sourceMemory,
                recorder: RecorderGroup<ProcessingEvent>(observers.processing, NotificationCost(cost: cost)),
                mayReuse: { [fleet] in fleet?.isCurrent ?? true },
                sourceName: Forgetting.name(ofSource:),
            ),
            profiles: settings.profiles,
            defaults: .init(profile: settings.profile, timeLimit: settings.deadline),
            longestHold: settings.longestHold,
        )
    }

    /// Returns the location from which phones fetch the store's files. A command that reads local files writes them, too.
    private static func location(
        _ settings: Settings,
        _ readsLocalFiles: Bool,
        _ store: AttachmentStore,
        _ bucket: Bucket?,
    ) -> PublishedStore.Location {
        guard let publicURL = settings.publicURL else {
            return .here(isInPayload: readsLocalFiles || settings.hasFileURLs)
        }
        guard let bucket else { return .sidecar(store.urls(below: publicURL)) }
        return .bucket(bucket, publicURL: publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL)
    }

    private static func fleetIndex(_ settings: Settings, _ store: AttachmentStore, _ bucket: Bucket?) -> FleetIndex? {
        guard case .bucket(let bucket, let publicURL) = location(settings, false, store, bucket),
            settings.queue.isShared
        else { return nil }
        return FleetIndex(bucket: bucket, store: store, publicURL: publicURL, lifetime: settings.longestHold)
    }

    /// Returns the name of the rule in `sources` for the source at `url`, and whether it gives access, in words for a
    /// person; `nil` if there is no rule.
    package func sourceRule(of url: String) -> String? {
        guard FileURL.path(of: url) == nil, let rule = downloader.resolve(url).rule else { return nil }
        return "source rule \(rule.name), \(rule.key == nil ? "which gives no access" : "with its access")"
    }

    /// Returns the reason why a callback can never be sent to `url`; `nil` if it may be.
    func refusal(ofCallback url: String) -> String? { downloader.client.refusal(ofCallback: url) }

    /// Sets the number of jobs that wait because the worker is full. While there are any, slow downloads make room for
    /// them.
    func setDemand(_ count: Int) { downloader.setDemand(count) }

    /// The client that posts answers to jobs.
    var callbacks: any CallbackPoster {
        PostedCallbacks(client: downloader.client, signer: MessageSigner(keys: store.keyring))
    }

    /// Begins the end of the process: downloads that would not be done within `limit` end now.
    func drain(within limit: Duration) { downloader.drain(within: limit) }

    package func shutDown() async {
        downloader.stop()
        bucket?.shutDown()
        await decoders.shutDown()
    }
}

// MARK: - Decoders

extension Engine {
    /// The memory in bytes that all decoder processes may use together: half.
    static var decoderMemory: Int { MachineLimits.ofThisProcess.memoryBytes / 2 }

    /// The memory in bytes for the bytes of all sources: a quarter. The last quarter is for the worker, which needs some
    /// 60 MB, for the pages that decoders share, for outputs, whose size the profile limits, and for the system.
    static var sourceMemory: Int { MachineLimits.ofThisProcess.memoryBytes / 4 }

    /// Starts the pool, in which `running` processes work at the same time.
    static func startDecoders(
        _ settings: Settings,
        running: Int,
        formats: FormatSwitch,
        recorder: any EventRecorder<DecoderEvent> = NoRecorder<DecoderEvent>(),
    ) throws(AttachmentFailure) -> DecoderPool {
        guard let program = DecoderProgram.path else {
            let message =
                "The program attachd-decoder was not found beside attachd. Install both programs in the same folder."
            throw AttachmentFailure(.decode, .decoderUnavailable, message)
        }
        var configuration = DecoderPoolConfiguration(
            decoderPath: program,
            running: running,
            memoryBytes: decoderMemory,
            formats: formats,
            recorder: recorder,
        )
        configuration.tenants = settings.tenantLines
        let pool = try DecoderPool(configuration)
        pool.start()
        return pool
    }

    /// Throws if a required layer of the sandbox is missing.
    package func checkSandbox() async throws(EngineError) { try await decoders.checkSandbox() }
}

extension DecoderPool {
    /// Throws if a layer of the sandbox is missing.
    func checkSandbox() async throws(EngineError) {
        do throws(AttachmentFailure) {
            // The report arrives with the first process.
            try await DecoderCheck(pool: self).check()
        } catch {
            throw EngineError(isStore: false, description: error.message)
        }
        let missing = status.sandbox?.missing ?? SandboxLayer.allCases
        guard missing.isEmpty else {
            let layers = missing.map(\.rawValue).joined(separator: ", ")
            let message =
                "The sandbox lacks: \(layers). Run `attachd doctor` for details, or leave out --require-sandbox."
            throw EngineError(isStore: false, description: message)
        }
    }
}

// MARK: - Costs

/// The processor time of decoders, for the number of workers that the queue needs.
private struct DecodingCost: EventRecorder {
    let cost: JobCost

    func record(_ event: DecoderEvent) {
        if case .childReaped(_, let usage) = event { cost.decoded(for: .microseconds(usage.processorMicroseconds)) }
    }
}

/// The number of finished notifications, for the number of workers that the queue needs.
private struct NotificationCost: EventRecorder {
    let cost: JobCost

    func record(_ event: ProcessingEvent) {
        if case .answered = event { cost.answered() }
    }
}

// MARK: - Health

/// The metrics, readiness, problems and abilities of a running engine.
extension Engine {
    /// All metrics in Prometheus's text format.
    package var metricsText: String {
        observers.decoders.set(decoders.status.sandbox)
        observers.store.set(store.usage)
        observers.process.set(version: Version.number, commit: Version.commit)
        observers.process.set(LoopHeartbeats.ofThisProcess.standstills)
        observers.process.set(residentBytes: ProcessMemory.ofThisProcess ?? 0)
        observers.sourceMemory.set(sourceMemory.usage)
        observers.origins.set(downloader.originUsage)
        let threads = downloader.client.threadCounts
        observers.origins.setThreads(working: threads.working, idle: threads.idle)
        if let bucket { observers.publishing.set(isAvailable: bucket.refusal == nil) }
        return observers.text
    }

    /// Passes a tiny image through a real decoder, and checks that the store is writable. Ends within the time that probes
    /// allow, whatever hangs.
    package func checkReadiness() async throws {
        let (stalled, heartbeats) = (stalledLoops, LoopHeartbeats.ofThisProcess)
        guard stalled.isEmpty else {
            let toRestart = heartbeats.namesToRestart(after: LoopHeartbeat.limit)
            throw StalledLoopsError(names: stalled, isDisk: toRestart.isEmpty)
        }
        let (time, end) = (SystemTime(), SystemTime().now + .milliseconds(2500))
        let late = "No decoder was ready in time. Look for a limit of processes or memory."
        try await time.answer(by: end, orThrow: EngineError(isStore: false, description: late)) { [decoders] in
            try await DecoderCheck(pool: decoders).check()
        }
        try await time.answer(by: end, orThrow: StalledLoopsError(names: ["store"], isDisk: true)) { [store] in
            try await store.checkWritable()
        }
    }

    /// The names of the essential loops that have stalled.
    package var stalledLoops: [String] { LoopHeartbeats.ofThisProcess.stalledNames }

    /// The problems that attachd can work with. Without the bucket, for example, notifications still go out on time.
    package var remarks: [String] {
        let disabled = formats.disabled.names.joined(separator: ", ")
        return [bucket?.refusal?.message, disabled.isEmpty ? nil : "Switched off: \(disabled)."].compactMap(\.self)
    }

    /// Returns the abilities of this installation, found by trying them.
    package func diagnosis(_ settings: Settings) async -> Diagnosis {
        await Diagnosis(
            settings,
            decoders: decoders,
            decoderMemory: Self.decoderMemory,
            sourceMemory: sourceMemory,
            store: store,
            bucket: bucket,
            downloader: downloader,
            queue: await Diagnosis.QueueReport(of: settings),
            libraries: DecoderProgram.libraries() + LoadedLibrary.ofThisProcess,
        )
    }
}

/// The error of essential loops that have stalled.
struct StalledLoopsError: Error, CustomStringConvertible {
    var names: [String]
    /// A Boolean value that indicates whether all of them wait for a disk or a lock.
    var isDisk: Bool

    var description: String {
        if isDisk {
            let disks = names.joined(separator: " and ")
            return
                "The disk of the \(disks) does not answer, or another process has its lock. A restart does not mend that."
        }
        return "These internal loops have stalled: \(names.joined(separator: ", ")). Restart the worker."
    }
}

// MARK: - Errors

/// The reason why attachd cannot start.
package struct EngineError: Error, Sendable, CustomStringConvertible {
    /// A Boolean value that indicates whether the cause is the store, for example a folder that is not writable.
    package var isStore: Bool
    /// A Boolean value that indicates whether the cause is a file that the configuration names.
    package var isMisconfigured = false
    package var description: String
}

extension EngineError {
    /// Creates the error of an address that attachd cannot listen on.
    init(_ error: ListenError) {
        let reason =
            switch error.code {
            case EADDRINUSE: "Another program uses this port. Stop that program, or choose another port."
            case EADDRNOTAVAIL: "This machine does not have this address. Choose one of its addresses."
            case EACCES: "Only root may listen on ports below 1024. Choose another port."
            default: "\(SystemError("listen", code: error.code).reason)."
            }
        self.init(isStore: false, description: "Cannot listen on \(error.address). \(reason)")
    }
}
