package import Settings
import DecoderWire
package import Decoding
import Downloads
package import Doctor
import Events
import Files
import Foundation
import Instruments
package import Logging
import Media
import Payloads
package import Processing
package import Publishing
package import Storage
import Timing

/// The parts of a running attachd, put together. This is the only type that knows every implementation.
package final class Engine: Sendable {
    package let service: NotificationService
    package let store: AttachmentStore
    package let decoders: DecoderPool
    /// The bucket that ready files are published to; `nil` if the settings name none.
    package let bucket: Bucket?
    private let downloader: Downloader
    let metrics: AttachdMetrics

    /// Creates the parts. With `readsLocalFiles`, `file:` URLs and paths are attachments too; only the command line
    /// sets it.
    package init(_ settings: Settings, readsLocalFiles: Bool, logger: Logger) throws(EngineError) {
        let metrics = AttachdMetrics()
        self.metrics = metrics
        do throws(FileError) {
            store = try AttachmentStore(
                at: settings.store,
                keys: settings.signingKeys,
                hasGroupReadableKeys: settings.hasGroupReadableKeys,
                retention: settings.retention,
                instrument: metrics.store
            )
        } catch {
            throw EngineError(
                isStore: !error.concernsSecret,
                isMisconfigured: error.concernsSecret,
                description: "\(error)",
            )
        }
        do throws(AttachmentFailure) {
            decoders = try Self.startDecoders(settings, running: settings.decoders, instrument: metrics.decoders)
            downloader = try Downloader(
                settings: settings.downloads,
                instrument: InstrumentGroup<OriginEvent>(metrics.origins, OriginLog(logger)),
            )
            bucket = try settings.publishing.map { publishing throws(AttachmentFailure) in
                try Bucket(publishing, keep: settings.retention.keep, instrument: metrics.publishing)
            }
        } catch {
            throw EngineError(isStore: false, description: error.message)
        }
        let steps = AttachmentPipeline.Steps(
            downloader: readsLocalFiles ? LocalFileReader(remote: downloader) : downloader,
            converter: decoders,
            store: PublishedStore(store: store, location: Self.location(settings, store, bucket)),
        )
        service = NotificationService(
            reader: PayloadReader(dialects: settings.dialects),
            pipeline: AttachmentPipeline(
                steps: steps,
                reuse: settings.reuse,
                instrument: metrics.processing,
            ),
            profiles: settings.profiles,
            defaults: .init(profile: settings.profile, timeLimit: settings.deadline),
        )
    }

    /// Returns the location from which phones fetch the store's files.
    private static func location(_ settings: Settings, _ store: AttachmentStore, _ bucket: Bucket?)
        -> PublishedStore.Location
    {
        guard let publicURL = settings.publicURL else { return .here }
        guard let bucket else { return .sidecar(store.urls(below: publicURL)) }
        return .bucket(bucket, publicURL: publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL)
    }

    /// Starts the pool, in which `running` processes work at the same time.
    static func startDecoders(
        _ settings: Settings,
        running: Int,
        instrument: any Instrument<DecoderEvent> = NoInstrument<DecoderEvent>(),
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
            instrument: instrument,
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
    package var metricsText: String {
        metrics.decoders.set(decoders.status.sandbox)
        metrics.store.set(store.usage)
        metrics.process.set(LoopHeartbeats.ofThisProcess.standstills)
        metrics.process.set(residentBytes: MachineMemory.resident)
        metrics.origins.set(downloader.originUsage)
        if let bucket { metrics.publishing.set(isAvailable: bucket.refusal == nil) }
        return metrics.text
    }

    /// Throws if a required layer of the sandbox is missing.
    package func checkSandbox() async throws(EngineError) { try await decoders.checkSandbox() }

    /// Passes a tiny image through a real decoder, and checks that the store is writable.
    package func checkReadiness() async throws {
        guard stalledLoops.isEmpty else { throw StalledLoops(names: stalledLoops) }
        try await DecoderCheck(pool: decoders).check()
        try await store.checkWritable()
    }

    /// The names of the essential loops that have stalled.
    package var stalledLoops: [String] { LoopHeartbeats.ofThisProcess.stalledNames }

    /// The problems that attachd can work with. Without the bucket, for example, notifications still go out on time.
    package var remarks: [String] { [bucket?.refusal?.message].compactMap(\.self) }

    /// Returns the abilities of this installation, found by trying them.
    package func diagnosis(_ settings: Settings) async -> Diagnosis {
        await Diagnosis(
            settings,
            decoders: decoders,
            decoderMemory: MachineMemory.decodersShare,
            store: store,
            bucket: bucket,
        )
    }

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

/// The reason why attachd cannot start.
package struct EngineError: Error, Sendable, CustomStringConvertible {
    /// A Boolean value that indicates whether the cause is the store, for example a folder that is not writable.
    package var isStore: Bool
    /// A Boolean value that indicates whether the cause is a file that the configuration names.
    package var isMisconfigured = false
    package var description: String
}
