import DecoderWire
import Decoding
import Doctor
import Events
import Machine
import Media
import Settings

extension Engine {
    /// The memory in bytes that all decoder processes may use together: half.
    static var decoderMemory: Int { MachineLimits.ofThisProcess.memoryBytes / 2 }

    /// The memory in bytes for the bytes of all sources: a quarter. The last quarter is for the worker, which needs some
    /// 60 MB, for the pages that decoders share, for outputs, which have 4 MB at most each, and for the system.
    static var sourceMemory: Int { MachineLimits.ofThisProcess.memoryBytes / 4 }

    /// Starts the pool, in which `running` processes work at the same time.
    static func startDecoders(
        _ settings: Settings,
        running: Int,
        formats: FormatSwitch,
        instrument: any Instrument<DecoderEvent> = NoInstrument<DecoderEvent>(),
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
            instrument: instrument,
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
