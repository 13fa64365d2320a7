import Decoding
import DecoderWire
import Media
import Support
import Synchronization
import Testing

/// Tests of the estimates for sharing memory, against the memory that the processes really used.
@Suite("Memory", .timeLimit(.minutes(10)), .serialized, .needsSharedMedia)
struct MemoryEstimateTests {
    @Test("a decoder's claim covers its use", arguments: ["images", "video", "audio", "hostile"])
    func covers(folder: String) async throws {
        let events = RecordedEvents<DecoderEvent>()
        try await DecoderPool.with("attachd-decoder", recorder: events) { pool in
            for path in SharedMedia.paths(in: folder) {
                let bytes = try SharedMedia.bytes(path)
                guard let format = MediaSniffer.format(of: bytes.span) else { continue }
                try await pool.settles()
                let before = events.peaks.count
                let file = try MediaFile(byteLimit: bytes.count)
                try file.append(bytes)
                file.end(.whole)
                let held = Mutex(0)
                let note: @Sendable () -> Void = {
                    let bytes = pool.status.heldBytes
                    held.withLock { $0 = bytes }
                }
                let conversion = await pool.convert(file, format: format, emitted: note)
                try await eventually { events.peaks.count > before }
                guard conversion.failure == nil else { continue }
                let (used, asked) = (events.peaks.last ?? .max, held.withLock { $0 })
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

extension RecordedEvents<DecoderEvent> {
    /// The most memory of each process that is gone, in bytes, in the order of their ends.
    fileprivate var peaks: [Int] {
        events.compactMap { event -> Int? in
            if case .childReaped(_, let usage) = event { usage.peakMemoryBytes } else { nil }
        }
    }
}
