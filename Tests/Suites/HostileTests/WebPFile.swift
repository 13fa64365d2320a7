/// Lossless WebP files whose pixels are all alike, so that a few bytes stand for any number of pixels.
enum WebPFile {
    static func still(width: Int, height: Int) -> [UInt8] { file(pixels(width: width, height: height)) }

    /// Returns an animation of `frames` frames of one pixel on a large canvas.
    static func animation(width: Int, height: Int, frames: Int) -> [UInt8] {
        let canvas = number(width - 1) + number(height - 1)
        let frame = chunk(
            "ANMF",
            number(0) + number(0) + number(0) + number(0) + number(50) + [0] + pixels(width: 1, height: 1)
        )
        let settings = chunk("VP8X", [0x02, 0, 0, 0] + canvas) + chunk("ANIM", [0, 0, 0, 0, 0, 0])
        return file(settings + (0..<frames).flatMap { _ in frame })
    }

    private static func pixels(width: Int, height: Int) -> [UInt8] {
        var bits = BitWriter()
        bits.put(0x2F, width: 8)
        bits.put(width - 1, width: 14)
        bits.put(height - 1, width: 14)
        // No alpha, version 0; no transform, no color cache, one set of codes.
        bits.put(0, width: 4 + 3)
        // Five codes of one symbol, which takes no bits at all.
        for _ in 0..<5 { bits.put(1, width: 4) }
        return chunk("VP8L", bits.bytes)
    }

    private static func file(_ chunks: [UInt8]) -> [UInt8] { chunk("RIFF", Array("WEBP".utf8) + chunks) }

    private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let padding: [UInt8] = content.count % 2 == 0 ? [] : [0]
        return Array(type.utf8) + UInt32(content.count).littleEndianBytes + content + padding
    }

    /// Returns the 24 bits of `value`.
    private static func number(_ value: Int) -> [UInt8] { Array(UInt32(value).littleEndianBytes.prefix(3)) }
}
