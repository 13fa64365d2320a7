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

/// The parts of a running attachd, put together: the one place that knows every implementation.
package final class Engine: Sendable {
    package let service: NotificationService
    package let store: AttachmentStore
    package let decoders: DecoderPool
    /// Where ready files are published, if they are.
    package let bucket: Bucket?
    private let downloader: Downloader
    let queueMetrics: QueueMetrics
    private let registry: PrometheusRegistry
    private let engineMetrics: EngineMetrics

    /// `readsLocalFiles` makes `file:` URLs and paths attachments too. Only on the command line.
    package init(_ settings: Settings, readsLocalFiles: Bool, logger: Logger) throws(EngineError) {
        registry = PrometheusRegistry(help: Self.help)
        queueMetrics = QueueMetrics(registry)
        let metrics = EngineMetrics(registry)
        let makingMetrics = AttachmentMetrics(registry)
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
                        "A host was not asked.",
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
                observeMaking: { makingMetrics.count($0) },
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

    /// Where phones fetch the store's files.
    private static func place(_ settings: Settings, _ store: AttachmentStore, _ bucket: Bucket?) -> PublishedStore.Place
    {
        guard let publicURL = settings.publicURL else { return .here }
        guard let bucket else { return .sidecar(store.urls(below: publicURL)) }
        return .bucket(bucket, publicURL: publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL)
    }

    /// `running` processes work at once.
    static func startDecoders(
        _ settings: Settings,
        running: Int,
        observe: @escaping @Sendable (DecoderEvent) -> Void = { _ in },
    ) throws(AttachmentFailure) -> DecoderPool {
        guard let program = DecoderProgram.path else {
            let message = "attachd-decoder is not beside attachd; install both programs in one folder."
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

    /// Why a callback's URL can never be called; `nil` if it may be.
    func refusal(ofCallback url: String) -> String? { downloader.refusal(ofCallback: url) }

    /// Says how many jobs wait because as many as may be are worked on: slow downloads give way to them.
    func setDemand(_ count: Int) { downloader.setDemand(count) }

    /// Posts the answers to jobs.
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

    /// Refuses to work where a layer of the sandbox is missing, for those who insist on it.
    package func checkSandbox() async throws(EngineError) { try await decoders.checkSandbox() }

    /// Passes a tiny picture through a real decoder, and sees that the store can be written to.
    package func checkReadiness() async throws {
        guard stalledLoops.isEmpty else { throw StalledLoops(names: stalledLoops) }
        try await DecoderCheck(pool: decoders).check(SampleImages.all[0])
        try await store.checkWritable()
    }

    /// The names of the loops that stand still, without which nothing goes on.
    package var stalledLoops: [String] { LoopHeartbeats.ofThisProcess.stalledNames }

    /// What is wrong and doesn't keep it from working: without the bucket, notifications still go out on time.
    package var remarks: [String] { [bucket?.refusal?.message].compactMap(\.self) }

    package func shutDown() async {
        downloader.stop()
        bucket?.shutDown()
        await decoders.shutDown()
    }
}

/// Loops that all work needs stand still.
struct StalledLoops: Error, CustomStringConvertible {
    var names: [String]

    var description: String { "These loops stand still: \(names.joined(separator: ", ")). Restart the worker." }
}

extension DecoderPool {
    /// Refuses to work where a layer of the sandbox is missing.
    func checkSandbox() async throws(EngineError) {
        do throws(AttachmentFailure) {
            // The report is there once a process is.
            try await DecoderCheck(pool: self).check(SampleImages.all[0])
        } catch {
            throw EngineError(isStore: false, description: error.message)
        }
        let missing = status.sandbox?.missing ?? SandboxLayer.allCases
        guard missing.isEmpty else {
            let layers = missing.map(\.rawValue).joined(separator: ", ")
            let message = "The sandbox lacks: \(layers). See `attachd doctor`, or go without --require-sandbox."
            throw EngineError(isStore: false, description: message)
        }
    }
}

/// Why attachd cannot start.
package struct EngineError: Error, Sendable, CustomStringConvertible {
    /// Whether the store is at fault: a place that cannot be written to.
    package var isStore: Bool
    /// Whether a file that the configuration names is.
    package var isMisconfigured = false
    package var description: String
}
