import Base
import DecoderWire
import Decoding
import Foundation
import Media
import Support
import Synchronization
import Testing

/// Tests with a decoder program that breaks the protocol on request.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct EvilDecoderTests {
    // S6, S9.
    @Test(
        "a decoder process that lies is killed, and the job is answered",
        arguments: [
            "finish at once", "claim a network failure", "be ready twice", "describe twice", "ask for what it has",
            "flood",
            "send garbage", "send too much", "send descriptors", "fill another", "say it is larger",
            "say it is nothing",
            "say it is PNG", "say it is wider", "say it is beyond its file",
            "describe max max 1 0", "describe 8 max 1 0", "describe 0 8 1 0", "describe 65501 8 1 0",
            "describe 15000 15000 1 0", "describe 8 8 max 0", "describe 8 8 1 max", "describe - - - max",
            "make max max 1 0 -", "make 0 0 1 0 -", "make 16 8 max 0 -", "make 16 8 1 max -", "make 16 8 1 0 max",
            "claim too much memory",
        ],
    )
    func lie(order: String) async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let conversion = try await pool.convert(order, TestPicture.jpeg)
            #expect(conversion.failure?.reason == .decoderLied)
            #expect(conversion.rungs.isEmpty)
            try await pool.settles()
        }
    }

    /// Returns a silent clip of three seconds that attachd made.
    private func clip() async throws -> ReadyRung {
        var made: ReadyRung?
        try await DecoderPool.with("attachd-decoder") { pool in
            made = try await pool.convert(SharedMedia.bytes("video/generated__mov-rotate90-shared.mov")).rungs.last
        }
        return try #require(made)
    }

    /// Has the program deliver `bytes` as a clip of the size of `report`.
    private func deliver(_ bytes: [UInt8], like report: RungReport, _ numbers: String) async throws -> Conversion {
        let order = "clip \(report.width ?? 0) \(report.height ?? 0) \(numbers)"
        var conversion = Conversion()
        try await DecoderPool.with("evil-decoder") { pool in conversion = try await pool.convert(order, bytes) }
        return conversion
    }

    @Test(
        "a clip that is shorter than its decoder process counted is delivered, with the reason; without a count, it is not",
        .needsSharedMedia,
        arguments: [
            ("75 3000", nil), ("75 6000", AttachmentFailure.Reason.durationMissing), ("- 0", .decoderLied),
            ("75 \(Int.max)", .decoderLied),
        ],
    )
    func shorter(numbers: String, reason: AttachmentFailure.Reason?) async throws {
        let made = try await clip()
        let conversion = try await deliver(made.file.prefix(made.file.capacity), like: made.report, "3000 \(numbers)")
        #expect(conversion.failure?.reason == reason)
        #expect(conversion.rungs.count == (reason == .decoderLied ? 0 : 1))
    }

    @Test(
        "a decoder process that writes a longer duration into the clip than its samples last has lied",
        .needsSharedMedia
    )
    func longerHeader() async throws {
        let made = try await clip()
        var bytes = made.file.prefix(made.file.capacity)
        let header = try #require(bytes.firstRange(of: Array("mvhd".utf8))).lowerBound
        let duration = header + 4 + 16
        bytes.replaceSubrange(duration..<duration + 4, with: [0, 0, 0x23, 0x28])
        let conversion = try await deliver(bytes, like: made.report, "9000 225 9000")
        #expect(conversion.failure?.reason == .decoderLied)
        #expect(conversion.rungs.isEmpty)
    }

    @Test("results that a decoder process reported before it lied are kept")
    func lateLie() async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let conversion = try await pool.convert("fill it twice", TestPicture.jpeg)
            #expect(conversion.failure?.reason == .decoderLied)
            #expect(conversion.rungs.count == 1)
        }
    }

    @Test("a result cannot be changed after it was checked")
    func changedLater() async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let deadline = Deadline(SystemTime().now + .seconds(30))
            let file = try file("change it later", TestPicture.jpeg)
            let conversion = await pool.convert(file, deadline: deadline, emitted: { deadline.warn() })
            #expect(conversion.failure == nil)
            #expect(conversion.rungs.first?.file.prefix(10_000) == TestPicture.jpeg)
        }
    }

    // S6: zero dimensions, dimensions that are too large, the wrong type, and bytes after the end.
    @Test(
        "a result that is not a picture that the profile allows is not emitted",
        arguments: [
            Array(TestPicture.jpeg.dropLast()), TestPicture.jpeg + [0], TestPicture.jpeg(width: 0, height: 8),
            TestPicture.jpeg(width: 1039, height: 8), TestPicture.jpeg(width: 8, height: 65535), [0xFF, 0xD8, 0xFF],
            Array("RIFF....WEBPVP8 ".utf8),
            // A comment between the first byte and the last.
            Array(TestPicture.jpeg.dropLast(2)) + [0xFF, 0xFE, 0, 8] + Array("CANARY".utf8) + [0xFF, 0xD9],
        ],
    )
    func noPicture(bytes: [UInt8]) async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let conversion = try await pool.convert("be good", bytes)
            #expect(conversion.failure?.reason == .decoderLied)
            #expect(conversion.rungs.isEmpty)
        }
    }

    @Test("a good result of the same program is emitted")
    func good() async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let conversion = try await pool.convert("be good", TestPicture.jpeg)
            #expect(conversion.failure == nil)
            #expect(conversion.rungs.map(\.report.width) == [16])
        }
    }

    @Test(
        "S6: a decoder process that truncates a result while it is read is killed, and the result is kept"
    )
    func shrunk() async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let conversion = try await pool.convert("shrink the file while it is read", TestPicture.jpeg)
            #expect(conversion.failure?.reason == .decoderDied)
            #expect(conversion.rungs.first?.file.prefix(10_000) == TestPicture.jpeg)
        }
    }

    @Test("S7: each job has its own process, which knows nothing of the job before")
    func ownProcess() async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            for _ in 0..<5 {
                let conversion = try await pool.convert("remember")
                #expect(conversion.source?.frames == 0)
            }
        }
    }

    @Test(
        "S9: a decoder process that dies or exits is reported as such",
        arguments: [
            "crash", "crash by a bad access", "crash by a system call", "leave", "leave with a status",
            "close its line and go on", "kill itself", "write past the limit",
        ],
    )
    func death(order: String) async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let first = try await pool.convert(order)
            #expect(first.failure?.reason == .decoderDied)
            let second = try await pool.convert("be good", TestPicture.jpeg)
            #expect(second.failure == nil)
        }
    }

    @Test(
        "S8: a decoder process that hangs is killed at the deadline",
        arguments: ["hang", "spin", "spin with a thread that waits for it"],
    )
    func hang(order: String) async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let conversion = await pool.convert(try file(order), within: .milliseconds(100))
            #expect(conversion.failure?.reason == .timedOut)
            try await pool.settles()
        }
    }

    @Test("a cancelled conversion ends at once, and so does its process")
    func cancelled() async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let file = try file("hang")
            let conversion = Task { await pool.convert(file) }
            try await eventually { pool.status.running > 0 }
            conversion.cancel()
            #expect(await conversion.value.failure?.reason == .cancelled)
            try await pool.settles()
        }
    }

    @Test("a job that waits for a process gives up at its deadline or when it is cancelled")
    func waiting() async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let file = try file("hang")
            let hanging = Task {
                await withTaskGroup { group in for _ in 0..<2 { group.addTask { _ = await pool.convert(file) } } }
            }
            try await eventually { pool.status.running == 2 }
            #expect(await pool.convert(file, within: .milliseconds(20)).failure?.reason == .timedOut)
            let waiting = Task { await pool.convert(file) }
            try await eventually { pool.status.waiting > 0 }
            waiting.cancel()
            #expect(await waiting.value.failure?.reason == .cancelled)
            #expect(pool.status.waiting == 0)
            hanging.cancel()
            await hanging.value
        }
    }

    @Test("a decoder process is told of each byte that comes, and of the end", arguments: [true, false])
    func end(isWhole: Bool) async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let file = try file("wait for the end", TestPicture.jpeg, ending: nil)
            let listens = Signal()
            let conversion = Task {
                defer { listens.send() }
                return await pool.convert(file, emitted: { listens.send() })
            }
            // Before that, the end might come with the job itself.
            await listens.wait()
            for _ in 0..<100 {
                try append(Array("more".utf8), to: file)
                await Task.yield()
            }
            file.end(isWhole ? .whole : .cut(AttachmentFailure(.download, .stalled, "")))
            let byteCount = "wait for the end\n".utf8.count + TestPicture.jpeg.count + 400
            let told = SourceReport(frames: byteCount, durationMilliseconds: isWhole ? 0 : 1)
            #expect(await conversion.value.source == told)
            #expect(await conversion.value.failure?.reason == .corrupt)
        }
    }

    @Test("a decoder process is told when time is nearly up")
    func expiry() async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let deadline = Deadline(SystemTime().now + .seconds(30))
            let file = try file("wait for time to be up")
            async let conversion = pool.convert(file, deadline: deadline)
            try await eventually { pool.status.running > 0 }
            deadline.warn()
            #expect(await conversion.failure?.reason == .timedOut)
        }
    }

    @Test("S4: a decoder process holds three descriptors, whatever the worker has open")
    func descriptors() async throws {
        let canaries = (0..<5).map { _ in unsafe open("/dev/null", O_RDONLY) }
        defer { for canary in canaries { close(canary) } }
        try await DecoderPool.with("evil-decoder") { pool in
            let conversion = try await pool.convert("count descriptors")
            #expect(conversion.source?.frames == 3)
        }
    }

    @Test("writing to every descriptor that a decoder process has does no harm")
    func scribble() async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let file = try file("write to every descriptor")
            let before = file.prefix(100)
            #expect(await pool.convert(file).failure?.reason == .decoderLied)
            #expect(file.prefix(100) == before)
        }
    }

    @Test("S5: a process gets no memory beyond the limit")
    func memory() async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            let conversion = try await pool.convert("eat memory")
            #expect(conversion.failure?.reason == .resourceLimit)
            // In megabytes. The limit is 2,048, and the process itself uses some.
            #expect(try #require(conversion.source?.frames) < 2048)
        }
    }

    @Test("a process gets no threads beyond the limit, where the host has one")
    func threads() async throws {
        try await DecoderPool.with("evil-decoder") { pool in
            try await pool.settles()
            let sandbox = try #require(pool.status.sandbox)
            let conversion = try await pool.convert("start threads")
            let count = try #require(conversion.source?.frames)
            if sandbox[.controlGroup] == .on || sandbox[.threadLimit] == .on { #expect(count < 4096) }
            #expect(sandbox[.controlGroup] != .off && sandbox[.threadLimit] != .off)
            try await pool.settles()
        }
    }

    private func file(
        _ order: String,
        _ picture: [UInt8] = [],
        ending: MediaFile.Ending? = .whole,
    ) throws -> MediaFile {
        let file = try MediaFile(byteLimit: 10_000)
        try append(Array(order.utf8) + [10] + picture, to: file)
        if let ending { file.end(ending) }
        return file
    }

    private func append(_ bytes: [UInt8], to file: MediaFile) throws {
        try unsafe bytes.withUnsafeBytes { unsafe try file.append($0) }
    }
}

extension DecoderPool {
    /// Makes the evil decoder apply `order`.
    func convert(_ order: String, _ picture: [UInt8] = []) async throws -> Conversion {
        try await convert(Array(order.utf8) + [10] + picture)
    }
}

/// The smallest bytes that pass a check of the picture's header.
enum TestPicture {
    static let jpeg = jpeg(width: 16, height: 8)

    static func jpeg(width: Int, height: Int) -> [UInt8] {
        let size = [height >> 8, height & 0xFF, width >> 8, width & 0xFF].map(UInt8.init)
        return [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8] + size + [1, 1, 0x11, 0, 0xFF, 0xD9]
    }
}
