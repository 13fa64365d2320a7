import Base
import Decoding
import Media
import Support
import Synchronization
import Testing

/// The outcome of one source.
struct Answer: Sendable {
    var rungs: [Rung] = []
    var failure: AttachmentFailure?
}

extension DecoderPool {
    /// Runs `body` with a pool of the real decoder program, and shuts the pool down.
    static func withDecoder(
        running: Int,
        log: DecoderLog,
        _ body: (DecoderPool) async throws -> Void,
    ) async throws {
        let configuration = DecoderPoolConfiguration(
            decoderPath: BuiltProgram.path("attachd-decoder"),
            spares: running,
            running: running,
            recorder: log,
        )
        let pool = try DecoderPool(configuration)
        pool.start()
        do {
            try await body(pool)
        } catch {
            await pool.shutDown()
            throw error
        }
        await pool.shutDown()
    }

    func answer(_ source: Source) async throws -> Answer {
        let file = try MediaFile(byteLimit: max(1, source.bytes.count))
        try file.append(source.bytes)
        file.end(.whole)
        let profile = Profile.apns
        let answer = Mutex(Answer())
        do throws(AttachmentFailure) {
            let request = ConversionRequest(
                format: source.format,
                image: profile.image,
                animation: profile.animation,
                video: profile.video,
                audio: profile.audio,
            )
            let deadline = Deadline(SystemTime().now + .seconds(25))
            try await convert(
                ConversionJob(of: file, as: request, deadline: deadline) { event in
                    guard case .output(let rung) = event else { return }
                    answer.withLock { $0.rungs.append(rung.report.rung) }
                }
            )
        } catch {
            answer.withLock { $0.failure = error }
        }
        return answer.withLock(\.self)
    }

    /// Converts a good picture.
    func expectGoodJob() async throws {
        let answer = try await answer(Source(path: "images/Pillow__hopper_gray.jpg"))
        #expect(answer.failure == nil)
        #expect(answer.rungs.last?.isLast == true)
    }

    /// Waits until only `spares` processes are left: every process that had a job is reaped.
    func settle(spares: Int) async throws {
        try await eventually { status.spares == spares && status.children == spares }
    }
}
