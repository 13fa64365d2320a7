import Foundation

extension ThumbHash {
    /// The picture as a PNG (W3C, Portable Network Graphics), which is small enough to be stored uncompressed.
    var png: Data {
        let row = width * 4
        let rows: [UInt8] = (0..<height).flatMap { [0] + pixels[$0 * row..<($0 + 1) * row] }
        let count = UInt16(rows.count).littleEndian
        // zlib (RFC 1950) around a single stored block (RFC 1951, section 3.2.4).
        let stored: [[UInt8]] = [
            [0x78, 0x01, 0x01], Self.bytes(count), Self.bytes(~count), rows, Self.bytes(Self.adler(rows).bigEndian),
        ]
        let size = Self.bytes(UInt32(width).bigEndian) + Self.bytes(UInt32(height).bigEndian)
        let chunks = [("IHDR", size + [8, 6, 0, 0, 0]), ("IDAT", Array(stored.joined())), ("IEND", [])].map(Self.chunk)
        return Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunks.joined())
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let checked = Array(name.utf8) + content
        return bytes(UInt32(content.count).bigEndian) + checked + bytes(crc(checked).bigEndian)
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : (sum >> 1) ^ 0xEDB8_8320 }
        }
        return ~sum
    }

    private static func adler(_ bytes: [UInt8]) -> UInt32 {
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in bytes {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        return high << 16 | low
    }
}
