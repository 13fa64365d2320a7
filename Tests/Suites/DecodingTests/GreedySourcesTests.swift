import DecoderWire
import Decoding
import Media
import Support
import Testing

/// Tests that sources which want all memory, slots or processes don't harm others.
@Suite("Greedy sources", .timeLimit(.minutes(10)), .serialized)
struct GreedySourcesTests {
    /// Runs `body` with memory for two greedy sources and a picture.
    private func with(
        _ program: String,
        memoryBytes: Int = 400_000_000,
        _ body: (DecoderPool) async throws -> Void,
    ) async throws {
        let path = BuiltProgram.path(program)
        let pool = try DecoderPool(DecoderPoolConfiguration(decoderPath: path, memoryBytes: memoryBytes))
        pool.start()
        do {
            try await body(pool)
        } catch {
            await pool.shutDown()
            throw error
        }
        await pool.shutDown()
    }

    /// The head of a progressive JPEG of 24 megapixels without its pixels. A decoder asks for 160 MB for it.
    private static let head: [UInt8] = {
        // 4,900 pixels each way.
        let side: [UInt8] = [0x13, 0x24]
        let frame: [UInt8] = [0xFF, 0xC2, 0, 17, 8] + side + side + [3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]
        let scan: [UInt8] = [0xFF, 0xDA, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 0, 0]
        let comment: [UInt8] = [0xFF, 0xFE, 2, 0] + [UInt8](repeating: 0x20, count: 510)
        return [0xFF, 0xD8] + comment + frame + scan
    }()

    @Test(
        "eight heads of large JPEGs whose bodies never come hold no memory, and a picture is decoded beside them",
        .needsSharedMedia
    )
    func heads() async throws {
        try await with("attachd-decoder") { pool in
            let files = try (0..<8).map { _ in
                let file = try MediaFile(byteLimit: 10_000_000)
                try file.append(Self.head)
                file.want(0..<Int.max)
                return file
            }
            let conversions = files.map { file in Task { await pool.convert(file) } }
            try await eventually { pool.status.children >= 8 && pool.status.running == 0 && pool.status.waiting == 0 }
            #expect(pool.status.heldBytes < 300_000_000)
            let picture = try await pool.convert(SharedMedia.bytes("images/Pillow__hopper_gray.jpg"))
            #expect(picture.failure == nil && !picture.rungs.isEmpty)
            for conversion in conversions { conversion.cancel() }
            for conversion in conversions { #expect(await conversion.value.failure?.reason == .cancelled) }
            try await pool.settles()
            #expect(pool.status.heldBytes == 0)
        }
    }

    @Test(
        "memory of sources whose bytes stopped goes to others, and such a source is done when its bytes come"
    )
    func stalled() async throws {
        try await with("evil-decoder") { pool in
            // Each has 63 MB of the 400.
            let files = try (0..<6).map { _ in
                let file = try MediaFile(byteLimit: 10_000)
                try file.append(Array("claim memory and wait\n".utf8) + TestPicture.jpeg)
                return file
            }
            let conversions = files.map { file in Task { await pool.convert(file) } }
            try await eventually { pool.status.heldBytes > 370_000_000 && pool.status.running == 0 }
            for _ in 0..<3 {
                let picture = try await pool.convert("be good", TestPicture.jpeg)
                #expect(picture.failure == nil)
            }
            for file in files { file.end(.whole) }
            for conversion in conversions {
                let ended = await conversion.value
                #expect(ended.failure == nil)
                #expect(ended.rungs.count == 1)
            }
            try await pool.settles()
            #expect(pool.status.heldBytes == 0)
        }
    }

    @Test("successive claims for all the memory leave some to small ones")
    func claims() async throws {
        // A greedy source holds 2,033,554,432 bytes, which leaves no memory for any other source.
        try await with("evil-decoder", memoryBytes: 2_050_000_000) { pool in
            let attack = Task {
                while !Task.isCancelled { _ = try? await pool.convert("claim all memory and hang") }
            }
            for _ in 0..<3 {
                try await eventually { pool.status.heldBytes > 2_000_000_000 }
                let picture = try await pool.convert("be good", TestPicture.jpeg)
                #expect(picture.failure == nil)
            }
            attack.cancel()
            await attack.value
            try await pool.settles()
        }
    }

    /// Tests every kind of hostile source at once, each again and again (S8).
    @Test("hanging, spinning, crashing, lying and greedy decoders keep no honest picture from being decoded")
    func everything() async throws {
        try await with("evil-decoder", memoryBytes: 2_100_000_000) { pool in
            let orders = [
                "hang", "spin", "crash", "leave", "claim all memory and hang", "flood", "close its line and go on",
            ]
            let attack = Task {
                await withDiscardingTaskGroup { group in
                    for order in orders {
                        group.addTask {
                            while !Task.isCancelled { _ = try? await pool.convert(order) }
                        }
                    }
                }
            }
            // Waits until the attack is under way.
            try await eventually { pool.status.replacements > 0 }
            for _ in 0..<10 {
                let picture = try await pool.convert("be good", TestPicture.jpeg)
                #expect(picture.failure == nil)
            }
            attack.cancel()
            await attack.value
            try await pool.settles()
            #expect(pool.status.restarts == 0)
        }
    }
}
