/// A writer of bits, from the lowest bit of each byte on, as in DEFLATE and WebP lossless.
struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var count = 0

    /// Writes the lowest `width` bits of `value`, the lowest first.
    mutating func put(_ value: Int, width: Int) {
        for bit in 0..<width {
            if count % 8 == 0 { bytes.append(0) }
            bytes[bytes.count - 1] |= UInt8(value >> bit & 1) << UInt8(count % 8)
            count += 1
        }
    }

    /// Writes a Huffman code: the highest bit first.
    mutating func put(code: Int, width: Int) {
        for bit in (0..<width).reversed() { put(code >> bit, width: 1) }
    }
}
