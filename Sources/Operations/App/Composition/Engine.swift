import DecoderWire
package import Decoding
import Downloads
import Foundation
package import Logging
import Media
import Metrics
import Payloads
package import Processing
package import Publishing
import Sidecar
package import Storage
import Telemetry
import Timing

/// The parts of a running attachd, put together. This is the only type that knows every implementation.
package final class Engine: Sendable {
    package let service: NotificationService
    package let store: AttachmentStore
    package let decoders: DecoderPool
    /// The bucket that ready files are published to; `nil` if the settings name none.
    package let bucket: Bucket?
    private let downloader: Downloader
    let queueMetrics: QueueMetrics
    private let registry: PrometheusRegistry
    private let engineMetrics: EngineMetrics

    /// Creates the parts. With `readsLocalFiles`, `file:` URLs and paths are attachments too; only the command line
    /// sets it.
    package init(_ settings: Settings, readsLocalFiles: Bool, logger: Logger) throws(EngineError) {
        registry = PrometheusRegistry(help: Self.help)
        queueMetrics = QueueMetrics(registry)
        let metrics = EngineMetrics(registry)
        let attachmentMetrics = AttachmentMetrics(registry)
        engineMetrics = metrics
        do throws(StoreError) {
            store = try AttachmentStore(
                at: settings.store,
                keys: settings.signingKeys,
                hasGroupReadableKeys: settings.hasGroupReadableKeys,
                retention: settings.retention,
                observe: { metrics.count($0) }
            )
        } catch {
            throw EngineError(
                isStore: !error.isConfiguration,
                isMisconfigured: error.isConfiguration,
                description: "\(error)",
            )
        }
        do throws(AttachmentFailure) {
            decoders = try Self.startDecoders(settings, running: settings.decoders, observe: { metrics.count($0) })
            downloader = try Downloader(
                settings: settings.downloads,
                observe: { metrics.count($0) },
                onConcealedCause: { cause in
                    logger.info(
                        "The host's address is not allowed, so the download was refused.",
                        metadata: ["reason": "refusedAddress", "source_host": "\(cause.host)", "cause": "\(cause)"],
                    )
                },
            )
            bucket = try settings.publishing.map { publishing throws(AttachmentFailure) in
                try Bucket(publishing, keep: settings.retention.keep, observe: { metrics.count($0) })
            }
        } catch {
            throw EngineError(isStore: false, description: error.message)
        }
        let steps = AttachmentPipeline.Steps(
            downloader: readsLocalFiles ? LocalFileReader(remote: downloader) : downloader,
            converter: PooledDecoders(pool: decoders, time: SystemTime()),
            store: PublishedStore(store: store, place: Self.place(settings, store, bucket)),
        )
        service = NotificationService(
            reader: PayloadReader(dialects: settings.dialects),
            pipeline: AttachmentPipeline(
                steps: steps,
                reuse: settings.reuse,
                observeAttachment: { attachmentMetrics.count($0) },
                observe: { metrics.count($0) },
            ),
            profiles: settings.profiles,
            defaults: .init(profile: settings.profile, timeLimit: settings.deadline),
        )
    }

    private static let help = [
        EngineMetrics.help, LoopMetrics.help, AttachmentMetrics.help, OriginMetrics.help, PublishMetrics.help,
        QueueMetrics.help,
    ]
    .reduce(into: [:]) { $0.merge($1) { first, _ in first } }

    /// Returns the location from which phones fetch the store's files.
    private static func place(_ settings: Settings, _ store: AttachmentStore, _ bucket: Bucket?) -> PublishedStore.Place
    {
        guard let publicURL = settings.publicURL else { return .here }
        guard let bucket else { return .sidecar(store.urls(below: publicURL)) }
        return .bucket(bucket, publicURL: publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL)
    }

    /// Starts the pool, in which `running` processes work at the same time.
    static func startDecoders(
        _ settings: Settings,
        running: Int,
        observe: @escaping @Sendable (DecoderEvent) -> Void = { _ in },
    ) throws(AttachmentFailure) -> DecoderPool {
        guard let program = DecoderProgram.path else {
            let message =
                "The program attachd-decoder was not found beside attachd. Install both programs in the same folder."
            throw AttachmentFailure(.decode, .decoderUnavailable, message)
        }
        let configuration = DecoderPoolConfiguration(
            decoderPath: program,
            running: running,
            memoryBytes: MachineMemory.decodersShare,
            observe: observe,
        )
        let pool = try DecoderPool(configuration)
        pool.start()
        return pool
    }

    /// Returns the reason why a callback can never be sent to `url`; `nil` if it may be.
    func refusal(ofCallback url: String) -> String? { downloader.refusal(ofCallback: url) }

    /// Sets the number of jobs that wait because the worker is full. While there are any, slow downloads make room for
    /// them.
    func setDemand(_ count: Int) { downloader.setDemand(count) }

    /// The client that posts answers to jobs.
    var callbacks: PostedCallbacks {
        PostedCallbacks(downloader: downloader, signer: MessageSigner(keys: store.keyring))
    }

    /// All metrics in Prometheus's text format.
    package var metrics: String {
        engineMetrics.set(decoders.status.sandbox)
        engineMetrics.set(store.usage)
        engineMetrics.set(LoopHeartbeats.ofThisProcess.standstills)
        engineMetrics.setResident(MachineMemory.resident)
        engineMetrics.set(downloader.originUsage)
        if let bucket { engineMetrics.setBucket(isAvailable: bucket.refusal == nil) }
        return registry.text()
    }

    func count(_ request: AnsweredRequest) { engineMetrics.count(request) }

    /// Throws if a required layer of the sandbox is missing.
    package func checkSandbox() async throws(EngineError) { try await decoders.checkSandbox() }

    /// Passes a tiny image through a real decoder, and checks that the store is writable.
    package func checkReadiness() async throws {
        guard stalledLoops.isEmpty else { throw StalledLoops(names: stalledLoops) }
        try await DecoderCheck(pool: decoders).check(SampleImages.all[0])
        try await store.checkWritable()
    }

    /// The names of the essential loops that have stalled.
    package var stalledLoops: [String] { LoopHeartbeats.ofThisProcess.stalledNames }

    /// The problems that attachd can work with. Without the bucket, for example, notifications still go out on time.
    package var remarks: [String] { [bucket?.refusal?.message].compactMap(\.self) }

    package func shutDown() async {
        downloader.stop()
        bucket?.shutDown()
        await decoders.shutDown()
    }
}

/// The error of essential loops that have stalled.
struct StalledLoops: Error, CustomStringConvertible {
    var names: [String]

    var description: String {
        "These internal loops have stalled: \(names.joined(separator: ", ")). Restart the worker."
    }
}

extension DecoderPool {
    /// Throws if a layer of the sandbox is missing.
    func checkSandbox() async throws(EngineError) {
        do throws(AttachmentFailure) {
            // The report arrives with the first process.
            try await DecoderCheck(pool: self).check(SampleImages.all[0])
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

/// The reason why attachd cannot start.
package struct EngineError: Error, Sendable, CustomStringConvertible {
    /// A Boolean value that indicates whether the cause is the store, for example a folder that is not writable.
    package var isStore: Bool
    /// A Boolean value that indicates whether the cause is a file that the configuration names.
    package var isMisconfigured = false
    package var description: String
}
