/// A PNG with any claims and the right checksums.
struct PNGFile {
    private(set) var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    init(width: UInt32, height: UInt32, bitDepth: UInt8 = 8, colorType: UInt8 = 0, isInterlaced: Bool = false) {
        let rest = [bitDepth, colorType, 0, 0, isInterlaced ? 1 : 0]
        add("IHDR", width.bigEndianBytes + height.bigEndianBytes + rest)
    }

    mutating func add(_ type: String, _ content: [UInt8]) {
        let covered = Array(type.utf8) + content
        bytes += UInt32(content.count).bigEndianBytes + covered + Self.checksum(covered).bigEndianBytes
    }

    /// Returns the file with rows of zeros, each with its filter byte, and the end.
    func filled(rows: Int, rowBytes: Int) -> [UInt8] {
        var file = self
        file.add("IDAT", Zeros.compressed(count: rows * (rowBytes + 1)))
        file.add("IEND", [])
        return file.bytes
    }

    /// Computes the CRC-32 (ISO 3309).
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0 as UInt32) { register, byte in
            (0..<8).reduce(register ^ UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
    }
}
