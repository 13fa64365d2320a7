import Decoding
import DecoderWire
import Media
import Support
import Synchronization
import Testing

/// Tests of the estimates for sharing memory, against the memory that the processes really used.
@Suite("Memory", .timeLimit(.minutes(3)), .serialized, .needsSharedMedia)
struct MemoryEstimateTests {
    @Test("a decoder's claim covers its use", arguments: ["images", "video", "audio", "hostile"])
    func covers(folder: String) async throws {
        let peak = Mutex<Int?>(nil)
        let observe: @Sendable (DecoderEvent) -> Void = { event in
            guard case .childReaped(_, let usage) = event else { return }
            peak.withLock { $0 = usage.peakMemoryBytes }
        }
        try await DecoderPool.with("attachd-decoder", observe: observe) { pool in
            for path in SharedMedia.paths(in: folder) {
                let bytes = try SharedMedia.bytes(path)
                guard let format = MediaSniffer.format(of: bytes.span) else { continue }
                try await pool.settles()
                peak.withLock { $0 = nil }
                let file = try MediaFile(byteLimit: bytes.count)
                try file.append(bytes)
                file.end(.whole)
                let held = Mutex(0)
                let note: @Sendable () -> Void = {
                    let bytes = pool.status.heldBytes
                    held.withLock { $0 = bytes }
                }
                let conversion = await pool.convert(file, format: format, published: note)
                try await until { peak.withLock { $0 != nil } }
                guard conversion.failure == nil else { continue }
                let (used, asked) = (peak.withLock { $0 ?? .max }, held.withLock { $0 })
                #expect(used < asked, "\(path)")
            }
        }
    }

    @Test("a source that needs more than the memory of all decoders is refused, and the next one works")
    func refused() async throws {
        let path = BuiltProgram.path("attachd-decoder")
        let pool = try DecoderPool(DecoderPoolConfiguration(decoderPath: path, memoryBytes: 100_000_000))
        pool.start()
        let video = try await pool.convert(SharedMedia.bytes("video/media__sample.mp4"))
        #expect(video.failure?.reason == .resourceLimit)
        let picture = try await pool.convert(SharedMedia.bytes("images/Pillow__hopper_gray.jpg"))
        #expect(picture.failure == nil && picture.rungs.count == 1)
        await pool.shutDown()
    }
}
