import Media
import Support
import Testing

/// A small file that causes a lot of work.
struct Bomb: Sendable {
    var name: String
    var format: MediaFormat
    var bytes: @Sendable () throws -> [UInt8]

    init(_ name: String, _ format: MediaFormat, _ bytes: @autoclosure @escaping @Sendable () throws -> [UInt8]) {
        self.name = name
        self.format = format
        self.bytes = bytes
    }
}

extension Bomb {
    /// Files that claim more pixels than any picture may have.
    static let overTheLimit = [
        Bomb("png-bomb-23000x23000-1bit.png", .png, try shared("hostile/png-bomb-23000x23000-1bit.png")),
        Bomb("a PNG of 2147483647 pixels each way", .png, PNGFile(width: .max >> 1, height: .max >> 1).bytes),
        Bomb("an interlaced PNG of 36 megapixels", .png, interlaced(side: 6000)),
        Bomb("a TIFF of 200000 pixels each way", .tiff, TIFFFile.bytes(width: 200_000, height: 200_000)),
        Bomb("a JPEG of 65500 pixels each way", .jpeg, try jpeg(width: 65_500, height: 65_500)),
        Bomb("a WebP of 16383 pixels each way", .webp, WebPFile.still(width: 16_383, height: 16_383)),
        Bomb("an AVIF of 65536 pixels each way", .avif, try box("images/generated__irot1-shared.avif", 65_536)),
        Bomb("a HEIC of 65536 pixels each way", .heic, try box("images/media__sample_still_photo.heic", 65_536)),
        Bomb("an AVIF of 4294967295 pixels each way", .avif, try box("images/generated__irot1-shared.avif", .max)),
        Bomb("a HEIC of 4294967295 pixels each way", .heic, try box("images/media__sample_still_photo.heic", .max)),
        Bomb("Pillow__decompression_bomb.gif", .gif, try shared("hostile/Pillow__decompression_bomb.gif")),
    ]

    /// Files that claim or unpack far more than they show.
    static let hollow = [
        Bomb("gif-800x800-5000frames.gif", .gif, try shared("hostile/gif-800x800-5000frames.gif")),
        Bomb("a WebP of 20000 frames", .webp, WebPFile.animation(width: 1000, height: 1000, frames: 20_000)),
        Bomb("a TIFF of 8000 pages", .tiff, TIFFFile.bytes(width: 64, height: 64, pages: 8000)),
        Bomb("a TIFF of 49 megapixels without any", .tiff, TIFFFile.bytes(width: 7000, height: 7000)),
        Bomb("a PNG with a text of 200 MB", .png, compressed("zTXt", "Comment\0\0")),
        Bomb("a PNG with a color profile of 200 MB", .png, compressed("iCCP", "Profile\0\0")),
        Bomb("a JPEG of 49 megapixels that has none", .jpeg, try jpeg(width: 7000, height: 7000)),
        Bomb("an AVIF that says it has 49 megapixels", .avif, try box("images/generated__irot1-shared.avif", 7000)),
        Bomb("a HEIC that says it has 49 megapixels", .heic, try box("images/media__sample_still_photo.heic", 7000)),
        Bomb("mp4-stsz-1e9-const.mp4", .mp4, try shared("hostile/mp4-stsz-1e9-const.mp4")),
    ]

    /// The most expensive pictures within the limits; all pixels are alike.
    static let atTheLimit = [
        Bomb(
            "a WebP of 25 megapixels and 400 frames",
            .webp,
            WebPFile.animation(width: 5000, height: 5000, frames: 400)
        ),
        Bomb("a WebP of 49 megapixels", .webp, WebPFile.still(width: 7000, height: 7000)),
        Bomb("a PNG of 49 megapixels", .png, PNGFile(width: 7000, height: 7000).filled(rows: 7000, rowBytes: 7000)),
        Bomb("an interlaced PNG of 25 megapixels", .png, interlaced(side: 5000)),
    ]

    private static func shared(_ path: String) throws -> [UInt8] { try SharedMedia.bytes(path) }

    private static func interlaced(side: UInt32) -> [UInt8] {
        let file = PNGFile(width: side, height: side, isInterlaced: true)
        // The seven passes have fewer and shorter rows than this.
        return file.filled(rows: 2 * Int(side), rowBytes: Int(side))
    }

    /// Returns a picture of one pixel, with a chunk that unpacks to far more.
    private static func compressed(_ type: String, _ name: String) -> [UInt8] {
        var file = PNGFile(width: 1, height: 1)
        file.add(type, Array(name.utf8) + Zeros.compressed(count: 200_000_000))
        return file.filled(rows: 1, rowBytes: 1)
    }

    /// Returns a small gray JPEG whose frame header claims another size.
    private static func jpeg(width: UInt16, height: UInt16) throws -> [UInt8] {
        var bytes = try SharedMedia.bytes("images/Pillow__hopper_gray.jpg")
        let frame = try #require(bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
        bytes.replaceSubrange(frame + 5..<frame + 9, with: height.bigEndianBytes + width.bigEndianBytes)
        return bytes
    }

    /// Returns an AVIF or HEIC whose `ispe` boxes (ISO/IEC 23008-12, 6.5.3) claim another size, the same in both
    /// directions.
    private static func box(_ path: String, _ side: UInt32) throws -> [UInt8] {
        var bytes = try SharedMedia.bytes(path)
        for index in bytes.indices.dropLast(16) where bytes[index..<index + 4].elementsEqual("ispe".utf8) {
            bytes.replaceSubrange(index + 8..<index + 16, with: side.bigEndianBytes + side.bigEndianBytes)
        }
        return bytes
    }
}
