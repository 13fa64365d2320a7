/// A writer of animated GIFs with exact gray values, uncompressed, without any library under test.
enum GIFBuilder {
    /// Returns gray frames, each shown for `delay` hundredths of a second; `value` gives the gray, 0 to 255, at x and y
    /// of a frame.
    static func animation(
        _ width: Int,
        _ height: Int,
        frames: Int,
        delay: Int,
        extensions: [UInt8] = [],
        behindPixels: [UInt8] = [],
        value: (_ frame: Int, _ x: Int, _ y: Int) -> Int,
    ) -> [UInt8] {
        let size = littleEndian(width) + littleEndian(height)
        // 128 grays: with codes of 8 bits, each pixel is one byte, as long as the table is cleared in time.
        var gif =
            Array("GIF89a".utf8) + size + [0xF6, 0, 0] + (0..<128).flatMap { [UInt8](repeating: $0 * 2, count: 3) }
        gif += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0] + extensions
        for frame in 0..<frames {
            gif += [0x21, 0xF9, 4, 0] + littleEndian(delay) + [0, 0]
            gif += [0x2C, 0, 0, 0, 0] + size + [0, 7]
            var codes: [UInt8] = []
            for y in 0..<height {
                for x in 0..<width {
                    if codes.count.isMultiple(of: 101) { codes.append(0x80) }
                    codes.append(UInt8(value(frame, x, y) / 2))
                }
            }
            codes += [0x81] + behindPixels
            for start in stride(from: 0, to: codes.count, by: 255) {
                let block = codes[start..<min(start + 255, codes.count)]
                gif += [UInt8(block.count)] + block
            }
            gif.append(0)
        }
        return gif + [0x3B]
    }

    private static func littleEndian(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
    }
}
