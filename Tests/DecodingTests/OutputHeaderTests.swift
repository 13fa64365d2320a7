import Media
import Support
import Testing

@testable import Decoding

@Suite struct PictureHeaderTests {
    @Test(
        "the size of a real picture is read",
        .needsSharedMedia,
        arguments: [
            ("Pillow__hopper_gray.jpg", OutputFormat.jpeg, 128, 128), ("sharp__swiss.png", .png, 68, 68),
            ("Pillow__hopper.gif", .gif, 128, 128), ("sharp__4.webp", .webp, 1024, 772),
            ("sharp__5_webp_a.webp", .webp, 300, 300),
        ],
    )
    func real(name: String, format: OutputFormat, width: Int, height: Int) throws {
        let bytes = try SharedMedia.bytes("images/\(name)")
        let whole = OutputHeader(bytes.span)
        let header = try #require(whole)
        #expect(header.format == format)
        #expect(header.width == width && header.height == height, "\(header)")
        for count in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 300)) {
            let prefix = Array(bytes.prefix(count))
            let header = OutputHeader(prefix.span)
            #expect(header == nil)
        }
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
                if let header = OutputHeader(bytes.span) { #expect(header.width >= 0 && header.height >= 0) }
            }
        }
    }
}
