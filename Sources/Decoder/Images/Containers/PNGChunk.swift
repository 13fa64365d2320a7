/// One chunk of a PNG: ISO/IEC 15948, section 5.3.
struct PNGChunk {
    private static let longest = 0x7FFF_FFFF

    let type: String
    let data: ArraySlice<UInt8>
    /// The type and the data, which the checksum covers.
    private let covered: ArraySlice<UInt8>
    private let checksum: Int

    /// Reads the next chunk. Returns `nil` if there isn't a whole one.
    init?(_ reader: inout ContainerReader) {
        guard let length = reader.bigEndian(4), length <= Self.longest, let covered = reader.take(4 + length),
            let checksum = reader.bigEndian(4)
        else { return nil }
        self.covered = covered
        self.checksum = checksum
        type = String(decoding: covered.prefix(4), as: UTF8.self)
        data = covered.dropFirst(4)
    }

    /// A Boolean value that indicates whether a decoder must know the chunk to show the picture. The first letter of its
    /// type is then a capital.
    var isCritical: Bool { type.utf8.first.map { $0 & 0x20 == 0 } ?? true }

    /// A Boolean value that indicates whether the checksum is right.
    var isIntact: Bool { Int(Self.checksum(of: covered)) == checksum }

    /// Returns a whole chunk.
    static func bytes(_ type: String, _ data: some Collection<UInt8>) -> [UInt8] {
        let covered = Array(type.utf8) + data
        return bigEndian(data.count) + covered + bigEndian(Int(checksum(of: covered[...])))
    }

    private static func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// The remainders of all bytes for the polynomial of ISO/IEC 15948, annex D.
    private static let remainders: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { rest, _ in rest & 1 == 1 ? 0xEDB8_8320 ^ rest >> 1 : rest >> 1 }
    }

    private static func checksum(of bytes: ArraySlice<UInt8>) -> UInt32 {
        let table = remainders
        var rest = ~UInt32(0)
        for byte in bytes { rest = table[Int((rest ^ UInt32(byte)) & 0xFF)] ^ rest >> 8 }
        return ~rest
    }
}
