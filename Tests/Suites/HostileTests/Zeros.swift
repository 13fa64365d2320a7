/// Long runs of zeros, as small as zlib can make them (RFC 1950, RFC 1951): a thousand bytes in one.
enum Zeros {
    /// The longest run that one code stands for.
    private static let runLength = 258

    static func compressed(count: Int) -> [UInt8] {
        var bits = BitWriter()
        // The one and last block, with the fixed codes; a zero to repeat.
        bits.put(1, width: 1)
        bits.put(1, width: 2)
        bits.put(code: 0x30, width: 8)
        let runs = (count - 1) / runLength
        for _ in 0..<runs {
            // Length 258, distance 1.
            bits.put(code: 0xC5, width: 8)
            bits.put(code: 0, width: 5)
        }
        for _ in 0..<(count - 1 - runs * runLength) { bits.put(code: 0x30, width: 8) }
        bits.put(code: 0, width: 7)
        return [0x78, 0x01] + bits.bytes + checksum(count: count)
    }

    /// Computes the Adler-32 of `count` zeros.
    private static func checksum(count: Int) -> [UInt8] { UInt32(count % 65_521 << 16 | 1).bigEndianBytes }
}

extension FixedWidthInteger {
    var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> Self($0)) }
    }

    var littleEndianBytes: [UInt8] { bigEndianBytes.reversed() }
}
