import Base
import DecoderWire
import Decoding
import Foundation
import Media
import Support
import Testing

/// Tests with the real decoder program.
@Suite(.timeLimit(.minutes(10)), .needsSharedMedia, .serialized)
struct DecoderPoolTests {
    @Test(
        "a picture of any format is converted in its own process",
        arguments: [
            "Pillow__hopper_gray.jpg", "sharp__p3.png", "Pillow__hopper.gif", "sharp__4.webp",
            "sharp__rotating-squares.webp",
            "libheif__example.heic", "libavif__colors-animated-8bpc.avif", "Pillow__multipage.tiff",
        ],
    )
    func picture(name: String) async throws {
        try await DecoderPool.with("attachd-decoder") { pool in
            let conversion = try await pool.convert(SharedMedia.bytes("images/\(name)"))
            #expect(conversion.failure == nil)
            #expect(conversion.source != nil)
            let best = try #require(conversion.rungs.last)
            #expect(best.report.rung.isLast || best.report.rung == .firstFrame)
            #expect(best.file.capacity == best.report.byteCount)
        }
    }

    @Test("a source that is not a picture is refused with the decoder's reason, and the next job works")
    func refused() async throws {
        try await DecoderPool.with("attachd-decoder") { pool in
            let damaged = try await pool.convert([0xFF, 0xD8, 0xFF] + .init(repeating: 0, count: 1000))
            #expect(damaged.failure?.reason == .corrupt)
            let good = try await pool.convert(SharedMedia.bytes("images/Pillow__hopper_gray.jpg"))
            #expect(good.failure == nil)
        }
    }

    @Test("a source is decoded while it grows, and is done at its last byte")
    func growing() async throws {
        try await DecoderPool.with("attachd-decoder") { pool in
            let bytes = try SharedMedia.bytes("images/exif-orien__Landscape_6.jpg")
            let file = try MediaFile(byteLimit: bytes.count)
            async let conversion = pool.convert(file)
            for start in stride(from: 0, to: bytes.count, by: 5000) {
                try append(bytes[start..<min(start + 5000, bytes.count)], to: file)
                await Task.yield()
            }
            file.end(.whole)
            #expect(await conversion.failure == nil)
            #expect(await conversion.rungs.last?.report.rung.isLast == true)
        }
    }

    @Test("a source that stops halfway still gives a picture")
    func cut() async throws {
        try await DecoderPool.with("attachd-decoder") { pool in
            let bytes = try SharedMedia.bytes("images/exif-orien__Landscape_6.jpg")
            let file = try MediaFile(byteLimit: bytes.count)
            try append(bytes.prefix(bytes.count / 2), to: file)
            async let conversion = pool.convert(file)
            file.end(.cut(AttachmentFailure(.download, .stalled, "No more bytes came.")))
            #expect(await conversion.rungs.last?.report.rung == .partial)
        }
    }

    @Test("slow sources keep no other from being decoded, and are decoded when their bytes come")
    func slowSources() async throws {
        try await DecoderPool.with("attachd-decoder") { pool in
            let bytes = try SharedMedia.bytes("images/exif-orien__Landscape_6.jpg")
            let slow = try (0..<4).map { _ in
                let file = try MediaFile(byteLimit: bytes.count)
                try append(bytes.prefix(bytes.count / 2), to: file)
                return file
            }
            let conversions = slow.map { file in Task { await pool.convert(file) } }
            // Each has a process, and waits for bytes without a slot.
            try await eventually { pool.status.children >= 4 && pool.status.running == 0 && pool.status.waiting == 0 }
            #expect(try await pool.convert(bytes).failure == nil)
            for file in slow {
                try append(bytes[(bytes.count / 2)...], to: file)
                file.end(.whole)
            }
            for conversion in conversions {
                #expect(await conversion.value.rungs.last?.report.rung == .downscaled)
            }
        }
    }

    @Test("the rungs are chosen when a process is free: fewer when time is short, none when it is up")
    func rungs() async throws {
        try await DecoderPool.with("attachd-decoder") { pool in
            let bytes = try SharedMedia.bytes("images/exif-orien__Landscape_6.jpg")
            let file = try MediaFile(byteLimit: bytes.count)
            try append(bytes[...], to: file)
            file.end(.whole)
            let cheap = await pool.convert(file, rungs: { [.fast] })
            #expect(cheap.rungs.map(\.report.rung) == [.fast])
            let none = await pool.convert(file, rungs: { [] })
            #expect(none.failure?.reason == .timedOut)
            #expect(none.rungs.isEmpty)
            try await pool.settles()
        }
    }

    @Test("two hundred jobs in a row leave no descriptor and no process behind")
    func manyJobs() async {
        // Runs in its own process, so that no other test's descriptors are counted.
        await #expect(processExitsWith: .success) {
            BlockingLimit.begin()
            try await DecoderPool.with("attachd-decoder") { pool in
                let bytes = try SharedMedia.bytes("images/Pillow__hopper_gray.jpg")
                _ = try await pool.convert(bytes)
                try await pool.settles()
                let before = Self.openDescriptors(of: pool)
                for _ in 0..<200 {
                    let conversion = try await pool.convert(bytes)
                    #expect(conversion.failure == nil)
                }
                try await pool.settles()
                #expect(Self.openDescriptors(of: pool) == before)
            }
        }
    }

    /// Returns the number of open descriptors of this process and the zygote.
    private static func openDescriptors(of pool: DecoderPool) -> [Int] {
        ["self", pool.status.zygotePID?.description ?? ""].map { process in
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd"))?.count ?? 0
        }
    }

    private func append(_ bytes: ArraySlice<UInt8>, to file: MediaFile) throws {
        try unsafe bytes.withUnsafeBytes { unsafe try file.append($0) }
    }
}
