import DecoderWire
import Media
import Support
import Testing

@testable import Decoding

@Suite(.timeLimit(.minutes(10))) struct OutputHeaderTests {
    @Test(
        "the size of a delivered picture is read, and no part of it is accepted",
        .needsSharedMedia,
        arguments: [
            ("Pillow__hopper_gray.jpg", OutputFormat.jpeg), ("sharp__swiss.png", .png), ("Pillow__hopper.gif", .gif),
        ],
    )
    func real(name: String, format: OutputFormat) async throws {
        var best: ReadyRung?
        try await DecoderPool.with("attachd-decoder") { pool in
            best = try await pool.convert(SharedMedia.bytes("images/\(name)")).rungs.last
        }
        let rung = try #require(best)
        let bytes = rung.file.prefix(rung.file.capacity)
        let whole = OutputHeader(bytes.span)
        let header = try #require(whole)
        #expect(header.format == format && rung.report.format == format)
        #expect(header.width == rung.report.width && header.height == rung.report.height, "\(header)")
        for count in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 300)) {
            let prefix = Array(bytes.prefix(count))
            let header = OutputHeader(prefix.span)
            #expect(header == nil)
        }
    }

    @Test("a segment, chunk or block between others is refused", arguments: HidingPicture.all)
    func between(picture: HidingPicture) {
        let isAccepted = OutputHeader(picture.whole.span) != nil
        #expect(isAccepted)
        let hides = OutputHeader(picture.hiding.span) != nil
        #expect(!hides)
    }

    @Test(
        "the size of other formats, and of WebP with anything but one picture, is not read here",
        .needsSharedMedia,
        arguments: [
            "images/libheif__example.heic", "images/sharp__rotating-squares.webp", "privacy/SHA-exif-xmp.webp",
        ],
    )
    func others(name: String) throws {
        let bytes = try SharedMedia.bytes(name)
        let header = OutputHeader(bytes.span)
        #expect(header == nil)
    }

    @Test("S6: a size is not searched for behind thousands of empty segments")
    func emptySegments() {
        let segments = (0..<100_000).flatMap { _ in [0xFF, 0xE1, 0, 2] as [UInt8] }
        let bytes = Array(TestPicture.jpeg.prefix(2)) + segments + Array(TestPicture.jpeg.dropFirst(2))
        let header = OutputHeader(bytes.span)
        #expect(header == nil)
    }

    @Test("a header with changed bytes is read or refused, and does no other harm")
    func garbage() {
        for index in TestPicture.jpeg.indices {
            for byte in UInt8.min ... .max {
                var bytes = TestPicture.jpeg
                bytes[index] = byte
                if let header = OutputHeader(bytes.span) {
                    #expect((header.width ?? -1) >= 0 && (header.height ?? -1) >= 0)
                }
            }
        }
    }
}
