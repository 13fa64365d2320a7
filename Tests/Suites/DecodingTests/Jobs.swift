import Base
import DecoderWire
import Decoding
import Foundation
import Media
import Support
import Synchronization

/// The outcome of one conversion.
struct Conversion: Sendable {
    var source: SourceReport?
    var rungs: [ReadyRung] = []
    var failure: AttachmentFailure?
}

extension DecoderPool {
    /// Runs `body` with a pool of the program `name` that has two spares and two slots, and shuts it down.
    static func with(
        _ name: String,
        formats: FormatSwitch = FormatSwitch(),
        recorder: any EventRecorder<DecoderEvent> = NoRecorder<DecoderEvent>(),
        time: any TimeSource = SystemTime(),
        _ body: (DecoderPool) async throws -> Void,
    ) async throws {
        let path = name.hasPrefix("/") ? name : BuiltProgram.path(name)
        let pool = try DecoderPool(
            DecoderPoolConfiguration(decoderPath: path, formats: formats, recorder: recorder),
            time: time,
        )
        pool.start()
        do {
            try await body(pool)
        } catch {
            await pool.shutDown()
            throw error
        }
        await pool.shutDown()
    }

    /// Converts `bytes`, which are complete, in their own format or else as a JPEG.
    func convert(_ bytes: [UInt8], within limit: Duration = .seconds(30)) async throws -> Conversion {
        let file = try MediaFile(byteLimit: 100_000_000)
        try unsafe bytes.withUnsafeBytes { unsafe try file.append($0) }
        file.end(.whole)
        return await convert(file, format: MediaSniffer.format(of: bytes.span) ?? .jpeg, within: limit)
    }

    func convert(
        _ file: MediaFile,
        format: MediaFormat = .jpeg,
        rungs: (@Sendable () -> Set<Rung>)? = nil,
        within limit: Duration = .seconds(30),
        deadline: Deadline? = nil,
        emitted: @escaping @Sendable () -> Void = {},
    ) async -> Conversion {
        let result = Mutex(Conversion())
        let request = ConversionRequest(
            format: format,
            image: Profile.apns.image,
            animation: Profile.apns.animation,
            video: Profile.apns.video,
            audio: Profile.apns.audio,
        )
        do throws(AttachmentFailure) {
            let job = ConversionJob(
                of: file,
                as: request,
                deadline: deadline ?? Deadline(SystemTime().now + limit),
                worthwhileRungs: rungs,
            ) { event in
                switch event {
                case .described(let source): result.withLock { $0.source = source }
                case .output(let rung):
                    result.withLock { $0.rungs.append(rung) }
                    emitted()
                default: break
                }
            }
            try await convert(job)
        } catch {
            result.withLock { $0.failure = error }
        }
        return result.withLock { $0 }
    }

    /// Waits until only the spares are left: every process that had a job is reaped.
    func settles() async throws {
        try await eventually { status.spares == 2 && status.children == 2 }
    }
}
