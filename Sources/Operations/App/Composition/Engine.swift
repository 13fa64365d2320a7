package import Settings
package import Decoding
import Downloads
import Events
import Files
import HTTPClient
import Instruments
package import Logging
package import Media
import Payloads
package import Processing
package import Publishing
package import Storage
import Timing
package import Traces
import Worker

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
    let downloader: Downloader
    /// The memory for the bytes of sources.
    let sourceMemory: SourceMemory
    let metrics: AttachdMetrics
    let warnings: WarningLog
    /// The cost of jobs, learnt from those before.
    let cost: JobCost
    /// The tracer and its exports; `nil` if traces are off.
    let traces: RunningTraces?

    /// Creates the parts. With `readsLocalFiles`, `file:` URLs and paths are attachments too; only the command line
    /// sets it.
    package init(_ settings: Settings, readsLocalFiles: Bool, traces: TraceSettings? = nil, logger: Logger)
        throws(EngineError)
    {
        let (metrics, warnings) = (AttachdMetrics(tenants: Set(settings.tenants.keys)), WarningLog(logger))
        self.metrics = metrics
        self.warnings = warnings
        let formats = FormatSwitch(settings: settings.disabledFormats)
        self.formats = formats
        sourceMemory = SourceMemory(byteLimit: Self.sourceMemory, instrument: metrics.sources)
        let cost = JobCost(slots: settings.jobSlots, decoders: settings.decoders)
        self.cost = cost
        do throws(FileError) {
            store = try AttachmentStore(
                at: settings.store,
                keys: settings.signingKeys,
                hasGroupReadableKeys: settings.hasGroupReadableKeys,
                retention: settings.retention,
                instrument: InstrumentGroup<StoreEvent>(metrics.store, StoreLog(warnings))
            )
        } catch {
            throw EngineError(
                isStore: !error.concernsSecret,
                isMisconfigured: error.concernsSecret,
                description: "\(error)",
            )
        }
        do throws(AttachmentFailure) {
            decoders = try Self.startDecoders(
                settings,
                running: settings.decoders,
                formats: formats,
                instrument: InstrumentGroup<DecoderEvent>(metrics.decoders, DecoderLog(warnings), DecodingCost(cost)),
            )
        } catch {
            throw EngineError(isStore: false, description: error.message)
        }
        downloader = Downloader(
            settings: settings.downloads,
            instrument: InstrumentGroup<OriginEvent>(metrics.origins, OriginLog(warnings)),
        )
        let running = traces.map { RunningTraces($0, settings.downloads.http, metrics.traces, warnings) }
        self.traces = running
        bucket = settings.publishing.map { publishing in
            Bucket(
                publishing,
                keep: settings.retention.keep,
                instrument: InstrumentGroup<PublishEvent>(
                    metrics.publishing,
                    PublishLog(warnings),
                    running.map { PublishTraces($0.tracer) } ?? NoInstrument<PublishEvent>(),
                ),
            )
        }
        metrics.decoders.set(settings.disabledFormats)
        fleetIndex = Self.fleetIndex(settings, store, bucket)
        let steps = AttachmentPipeline.Steps(
            downloader: readsLocalFiles ? LocalFileReader(remote: downloader) : downloader,
            converter: decoders,
            store: PublishedStore(store: store, location: Self.location(settings, readsLocalFiles, store, bucket)),
        )
        let log = NotificationLog(logger, sample: settings.logSample)
        let spans: any Instrument<ProcessingEvent> =
            self.traces == nil ? NoInstrument<ProcessingEvent>() : ProcessingTraces()
        service = NotificationService(
            reader: PayloadReader(dialects: settings.dialects),
            pipeline: AttachmentPipeline(
                steps: self.traces.map { steps.traced($0.tracer) } ?? steps,
                reuse: settings.reuse,
                index: fleetIndex,
                memory: sourceMemory,
                // A command reports its one result by itself.
                instrument: readsLocalFiles
                    ? metrics.processing
                    : InstrumentGroup<ProcessingEvent>(metrics.processing, log, spans, NotificationCost(cost)),
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
            case .redis = settings.queue
        else { return nil }
        return FleetIndex(bucket: bucket, store: store, publicURL: publicURL, lifetime: settings.longestHold)
    }

    /// Returns the name of the rule in `sources` for the source at `url`, and whether it gives access, in words for a
    /// person; `nil` if there is no rule.
    package func sourceRule(of url: String) -> String? {
        guard FileURL.path(of: url) == nil, let rule = downloader.rule(for: url) else { return nil }
        return "source rule \(rule.name), \(rule.access == nil ? "which gives no access" : "with its access")"
    }

    /// Returns the reason why a callback can never be sent to `url`; `nil` if it may be.
    func refusal(ofCallback url: String) -> String? { downloader.client.refusal(ofCallback: url) }

    /// Sets the number of jobs that wait because the worker is full. While there are any, slow downloads make room for
    /// them.
    func setDemand(_ count: Int) { downloader.setDemand(count) }

    /// The client that posts answers to jobs.
    var callbacks: any CallbackPoster {
        let posted = PostedCallbacks(client: downloader.client, signer: MessageSigner(keys: store.keyring))
        return traces.map { TracedCallbacks(posted, $0.tracer) } ?? posted
    }

    /// Begins the end of the process: downloads that would outlast it end now.
    func drain() { downloader.drain() }

    package func shutDown() async {
        downloader.stop()
        bucket?.shutDown()
        await decoders.shutDown()
    }
}
