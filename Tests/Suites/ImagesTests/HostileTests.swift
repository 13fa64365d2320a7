import CVips
import DecoderWire
import Foundation
import Images
import Media
import Support
import Testing

extension ImagesTests {
    @Suite("Hostile pictures")
    struct HostileTests {
        @Test(
            "a hostile file ends in a picture or a failure reason",
            .needsSharedMedia,
            arguments: SharedPicture.all(in: "hostile")
        )
        func hostile(picture: SharedPicture) throws {
            guard let (bytes, format) = try picture.read() else { return }
            let (output, failure) = try transform(MemorySource(bytes), format)
            #expect(failure != nil || !output.emitted.isEmpty)
            if picture.expectation == "reject" { #expect(output.emitted.isEmpty) }
            for emitted in output.emitted { _ = try Pixels(emitted) }
        }

        @Test("a PNG of 529 megapixels is refused by its header", .needsSharedMedia)
        func pngBomb() throws {
            let source = MemorySource(try SharedMedia.bytes("hostile/png-bomb-23000x23000-1bit.png"))
            let (output, failure) = try transform(source, .png)
            #expect(failure?.reason == .tooManyPixels)
            #expect(output.descriptions == 0)
            #expect(source.bytesRead < 16_384)
        }

        @Test(
            "sides over the limit are refused",
            arguments: [(65_501, 1), (1, 65_501), (8_000, 8_000), (2_000_000_000, 3)]
        )
        func sides(width: Int, height: Int) throws {
            let (_, failure) = try transform(MemorySource(PNGBuilder.header(width, height)), .png)
            #expect(failure?.reason == .tooManyPixels || failure?.reason == .corrupt)
        }

        @Test("a progressive JPEG counts twice, because all of it is in memory", .needsSharedMedia)
        func progressive() throws {
            let source = try SharedMedia.bytes("images/plasma__Autumn_2560x1600.jpg")
            let limits = MediaLimits(framePixels: 2560 * 1600)
            #expect(try transform(MemorySource(source), .jpeg, limits: limits).failure?.reason == .tooManyPixels)
        }

        @Test("a JPEG with more than a hundred scans is given up", .needsSharedMedia)
        func scans() throws {
            let source = try SharedMedia.bytes("images/mate__YellowFlower.jpg")
            let starts = JPEGBuilder.with(0xE5, Array(repeating: [0xFF, 0xDA], count: 101).flatMap(\.self), in: source)
            let (output, failure) = try transform(MemorySource(starts), .jpeg)
            #expect(output.emitted.isEmpty)
            #expect(failure?.reason == .resourceLimit)
        }

        @Test(
            "bytes that no loader understands are corrupt",
            arguments: [MediaFormat.jpeg, .png, .gif, .webp, .heic, .avif, .tiff]
        )
        func garbage(format: MediaFormat) throws {
            for count in [1, 2, 16, 4096, 70_000] {
                let (output, failure) = try transform(MemorySource([UInt8](repeating: 0x5A, count: count)), format)
                #expect(output.emitted.isEmpty)
                #expect(failure != nil)
            }
            #expect(try transform(MemorySource([]), format).failure?.reason == .empty)
        }

        @Test(
            "damaged files never end the process",
            .needsSharedMedia,
            arguments: SharedPicture.all(in: "images")
        )
        func flips(picture: SharedPicture) throws {
            guard let (bytes, format) = try picture.read(), bytes.count < 100_000 else { return }
            var state: UInt32 = 1
            for _ in 0..<12 {
                var damaged = bytes
                for _ in 0..<8 {
                    state = state &* 1_664_525 &+ 1_013_904_223
                    damaged[Int(state >> 8) % damaged.count] = UInt8(state >> 24)
                }
                let (output, failure) = try transform(MemorySource(damaged), format)
                #expect(failure != nil || !output.emitted.isEmpty)
            }
        }

        @Test(
            "libvips blocks every loader and saver that is not in use",
            arguments: [
                "svgload_source", "svgload", "jpegload", "jpegload_buffer", "tiffload_buffer", "ppmload", "csvload",
                "rawload",
                "matload", "fitsload", "jp2kload_source", "vipsload", "jpegsave", "jpegsave_buffer", "jpegsave_target",
                "tiffsave",
                "webpsave",
                "dzsave", "rawsave_fd", "vipssave", "gifsave_buffer",
            ],
        )
        func blocked(operation: String) throws {
            #expect(try isBlocked(operation))
        }

        @Test(
            "loaders and savers in use are not blocked",
            arguments: [
                "jpegload_source", "pngload_source", "gifload_source", "webpload_source", "heifload_source",
                "tiffload_source",
                "pngsave_buffer",
            ],
        )
        func unblocked(operation: String) throws {
            #expect(try !isBlocked(operation))
        }

        private func isBlocked(_ name: String) throws -> Bool {
            try transform(MemorySource([]), .jpeg)
            guard let operation = unsafe vips_operation_new(name) else { return true }
            defer { unsafe g_object_unref(operation) }
            return unsafe vips_operation_get_flags(operation).rawValue & VIPS_OPERATION_BLOCKED.rawValue != 0
        }
    }
}
