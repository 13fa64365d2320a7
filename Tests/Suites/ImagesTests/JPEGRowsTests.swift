import CVips
import DecoderWire
import Foundation
import Media
import Support
import Testing

@testable import Images

extension ImagesTests {
    @Suite("Rows straight from libjpeg")
    struct JPEGRowsTests {
        /// Color with a quarter of the samples and odd sides, gray, progressive, turned, and with restart markers.
        private static let sources = [
            "images/mate__YellowFlower.jpg", "images/Pillow__hopper_gray.jpg", "images/plasma__Autumn_2560x1600.jpg",
            "images/exif-orien__Landscape_6.jpg", "images/exif-sampl__DSCN0010.jpg", "images/skimage__rocket.jpg",
            "images/libavif__paris_exif_xmp_icc.jpg",
        ]

        /// Renders a part of a JPEG with libvips and with libjpeg, to three quarters of its size, and compares both.
        private func compare(_ bytes: [UInt8], shrink: Int, in block: Int = .max, whole: Bool = false) throws {
            let source = PictureSource(MemorySource(bytes, blockByteCount: block), .jpeg)
            let loader = PictureLoader(format: .jpeg, shrink: shrink)
            let loaded = try loader.open(source)
            let hasRows = loaded.hasRows(of: loader)
            #expect(hasRows)
            let left = loaded.width / 7
            let top = loaded.height / 5
            let area =
                whole
                ? PixelArea(size: loaded.size, in: loaded.size)
                : PixelArea(x: left, y: top, width: loaded.width - left - 3, height: loaded.height - 2 * top)
            let size = PixelSize(width: area.width * 3 / 4, height: area.height * 3 / 4)
            let rows = try loaded.renderedRows(of: area, from: source, shrink: shrink, scaledTo: size) { true }
            let isComplete = rows.isComplete
            #expect(isComplete)
            let computed = try loader.open(PictureSource(MemorySource(bytes), .jpeg)).cropped(to: area)
                .rendered(scaledTo: size) { true }
            let (straight, usual) = (Pixels(rows.picture), Pixels(computed.picture))
            #expect(straight == usual)
        }

        @Test("are the rows that libvips computes", .needsSharedMedia, arguments: sources, [1, 2, 4, 8])
        func sameRows(path: String, shrink: Int) throws { try compare(SharedMedia.bytes(path), shrink: shrink) }

        @Test("are the same up to the last row and column", .needsSharedMedia, arguments: sources, [1, 8])
        func edges(path: String, shrink: Int) throws {
            try compare(SharedMedia.bytes(path), shrink: shrink, whole: true)
        }

        @Test("of a truncated source end in the same gray", .needsSharedMedia, arguments: [0.2, 0.6, 0.95])
        func truncated(share: Double) throws {
            let bytes = try SharedMedia.bytes("images/mate__YellowFlower.jpg")
            try compare(Array(bytes.prefix(Int(Double(bytes.count) * share))), shrink: 2, whole: true)
        }

        @Test("of another picture than the header said are refused", .needsSharedMedia)
        func otherPicture() throws {
            let loaded = try PictureLoader(format: .jpeg)
                .open(PictureSource(MemorySource(SharedMedia.bytes("images/skimage__rocket.jpg")), .jpeg))
            let other = PictureSource(MemorySource(SampleMedia.photo), .jpeg)
            let area = PixelArea(size: loaded.size, in: loaded.size)
            #expect(throws: DecodeError.self) {
                _ = try loaded.renderedRows(
                    of: area,
                    from: other,
                    shrink: 1,
                    scaledTo: PixelSize(width: 9, height: 9)
                ) { true }.rows
            }
        }

        @Test("are the same however the bytes arrive", arguments: [1, 1000, 16_384])
        func blocks(size: Int) throws { try compare(SampleMedia.photo, shrink: 8, in: size) }

        @Test("stop where they are not wanted any longer")
        func stops() throws {
            let source = PictureSource(MemorySource(SampleMedia.photo), .jpeg)
            let loaded = try PictureLoader(format: .jpeg, shrink: 8).open(source)
            let area = PixelArea(size: loaded.size, in: loaded.size)
            let size = PixelSize(width: loaded.width / 2, height: loaded.height / 2)
            var strips = 0
            let part = try loaded.renderedRows(of: area, from: source, shrink: 8, scaledTo: size) {
                strips += 1
                return strips <= 5
            }
            let count = part.rows
            #expect((1..<size.height).contains(count))
        }

        @Test("of CMYK are computed by libvips, which knows its colors", .needsSharedMedia)
        func inks() throws {
            let bytes = try SharedMedia.bytes("images/Pillow__pil_sample_cmyk.jpg")
            let loader = PictureLoader(format: .jpeg)
            let hasRows = try loader.open(PictureSource(MemorySource(bytes), .jpeg)).hasRows(of: loader)
            #expect(!hasRows)
        }
    }
}
