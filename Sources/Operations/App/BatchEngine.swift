package import Batch
import Decoding
import Digests
import Glibc
import Media
import Processing
import Storage
import Timing

/// What a batch needs of a running attachd: decoders and a profile, and neither store nor queue nor network.
package struct BatchEngine: Sendable {
    package let options: BatchOptions
    private let decoders: DecoderPool

    /// The longer side of the report's pictures, in pixels.
    private static let previewEdge = 192

    package init(_ settings: Settings, selection: FileSelection) throws(EngineError) {
        options = BatchOptions(
            selection: selection,
            profile: settings.profile,
            fingerprint: settings.profile.fingerprint,
            timeLimit: settings.fileDeadline,
            decoders: settings.decoders,
        )
        do throws(AttachmentFailure) {
            decoders = try Engine.startDecoders(settings, running: BatchRun.places(forDecoders: settings.decoders))
        } catch {
            throw EngineError(isStore: false, description: error.message)
        }
    }

    /// Refuses to work where a layer of the sandbox is missing, for those who insist on it.
    package func checkSandbox() async throws(EngineError) { try await decoders.checkSandbox() }

    /// Works through all files; `monitor` says how far it is, and can stop it.
    package func run(_ place: BatchPlace, monitor: BatchMonitor) async throws(BatchError) {
        let run = try BatchRun(place, options, monitor: monitor) { [decoders] show in
            PooledDecoders(pool: decoders, time: SystemTime(), previewEdge: Self.previewEdge, show: show)
        }
        try await run.run()
    }

    package func shutDown() async { await decoders.shutDown() }
}

extension Profile {
    /// Sixteen digits that change with every rule, and not with the name.
    fileprivate var fingerprint: String {
        let text = rules.filter { $0.name != "categories" }.map { "\($0.name)=\($0.value)\n" }.joined()
        return Hexadecimal.text(Array(SHA256.digest(of: Array(text.utf8)).prefix(8)))
    }
}
