import Testing

/// A picture, and the same with others' bytes at a place that readers skip.
struct HidingPicture: CustomTestStringConvertible, Sendable {
    var place: String
    var whole: [UInt8]
    var hiding: [UInt8]

    var testDescription: String { place }

    private static let mark = Array("CANARY-PII".utf8)

    static let all = jpegs + gifs + pngs + webPs

    private init(_ place: String, _ whole: [UInt8], putting bytes: [UInt8], at offset: Int) {
        self.place = place
        self.whole = whole
        hiding = whole[..<offset] + bytes + whole[offset...]
    }

    private static let jpegs: [HidingPicture] = {
        let whole = TestPicture.jpeg
        let end = whole.count - 2
        let comment: [UInt8] = [0xFF, 0xFE, 0, UInt8(mark.count + 2)] + mark
        return [
            HidingPicture("JPEG: a comment at the front", whole, putting: comment, at: 2),
            HidingPicture("JPEG: a comment at the end", whole, putting: comment, at: end),
            HidingPicture("JPEG: bytes before the end", whole, putting: mark, at: end),
            HidingPicture("JPEG: a thumbnail in JFIF", whole, putting: [0xFF, 0xE0, 0, 16] + jfif(1), at: 2),
        ]
    }()

    private static func jfif(_ thumbnailEdge: UInt8) -> [UInt8] {
        Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, thumbnailEdge, thumbnailEdge]
    }

    private static let gifs: [HidingPicture] = {
        let screen: [UInt8] = [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        let image: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]
        let whole = Array("GIF89a".utf8) + screen + image + [0x3B]
        let comment: [UInt8] = [0x21, 0xFE, UInt8(mark.count)] + mark + [0]
        let application = [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + comment.dropFirst(2)
        return [
            HidingPicture("GIF: a comment before the image", whole, putting: comment, at: 19),
            HidingPicture("GIF: a comment behind the image", whole, putting: comment, at: whole.count - 1),
            HidingPicture("GIF: an application's block", whole, putting: application, at: 19),
            HidingPicture("GIF: bytes behind its end", whole, putting: mark, at: whole.count),
        ]
    }()

    private static let pngs: [HidingPicture] = {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let header = chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])
        // One gray pixel in a block that is not compressed.
        let pixels = chunk("IDAT", [0x78, 1, 1, 2, 0, 0xFD, 0xFF, 0, 0x80, 0, 0x82, 0, 0x81])
        let whole = signature + header + pixels + chunk("IEND", [])
        let behindPixels = whole.count - 12
        return ["tEXt", "eXIf", "zTXt", "iTXt", "caNy"].flatMap { type in
            [
                HidingPicture("PNG: \(type) before the pixels", whole, putting: chunk(type, mark), at: 33),
                HidingPicture("PNG: \(type) behind the pixels", whole, putting: chunk(type, mark), at: behindPixels),
            ]
        } + [
            HidingPicture("PNG: bytes between chunks", whole, putting: mark, at: 33),
            HidingPicture("PNG: bytes behind its end", whole, putting: mark, at: whole.count),
        ]
    }()

    private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let checked = Array(type.utf8) + content
        var rest = ~UInt32(0)
        for byte in checked {
            rest ^= UInt32(byte)
            for _ in 0..<8 { rest = rest & 1 == 1 ? 0xEDB8_8320 ^ (rest >> 1) : rest >> 1 }
        }
        return big(UInt32(content.count)) + checked + big(~rest)
    }

    private static func big(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
    }

    private static let webPs: [HidingPicture] = {
        let picture = riffChunk("VP8 ", [0x10, 0, 0, 0x9D, 1, 0x2A, 1, 0, 1, 0, 7])
        let whole = webP(picture)
        let canvas = riffChunk("VP8X", [0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        let transparent = webP(canvas + riffChunk("ALPH", [0, 255]) + picture)
        var padded = HidingPicture("WebP: a byte that fills up a chunk", whole, putting: [], at: 0)
        padded.hiding[whole.count - 1] = 0x43
        return [
            padded,
            HidingPicture("WebP: EXIF behind the picture", whole, as: webP(picture + riffChunk("EXIF", mark))),
            HidingPicture(
                "WebP: XMP behind the picture",
                transparent,
                as: webP(
                    canvas + riffChunk("ALPH", [0, 255]) + picture + riffChunk("XMP ", mark)
                )
            ),
            HidingPicture(
                "WebP: a chunk before the picture",
                transparent,
                as: webP(
                    canvas + riffChunk("ICCP", mark) + riffChunk("ALPH", [0, 255]) + picture
                )
            ),
            HidingPicture("WebP: bytes behind its end", whole, putting: mark, at: whole.count),
        ]
    }()

    private init(_ place: String, _ whole: [UInt8], as hiding: [UInt8]) {
        (self.place, self.whole, self.hiding) = (place, whole, hiding)
    }

    private static func webP(_ chunks: [UInt8]) -> [UInt8] {
        riffChunk("RIFF", Array("WEBP".utf8) + chunks)
    }

    private static func riffChunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let length = big(UInt32(content.count)).reversed()
        return Array(type.utf8) + length + content + (content.count % 2 == 1 ? [0] : [])
    }
}
