/// A little-endian TIFF with any claims: each page is a directory without pixels of its own.
enum TIFFFile {
    static func bytes(width: UInt32, height: UInt32, pages: Int = 1) -> [UInt8] {
        var bytes: [UInt8] = [0x49, 0x49, 0x2A, 0x00] + UInt32(8).littleEndianBytes
        for page in 1...pages {
            // Tag, value: 8 bits of gray, not compressed, one strip behind the header.
            let fields: [(UInt16, UInt32)] = [
                (256, width), (257, height), (258, 8), (259, 1), (262, 1), (273, 8), (277, 1), (278, height),
                (279, width &* height),
            ]
            bytes += UInt16(fields.count).littleEndianBytes
            for (tag, value) in fields {
                bytes += tag.littleEndianBytes + UInt16(4).littleEndianBytes + UInt32(1).littleEndianBytes
                bytes += value.littleEndianBytes
            }
            bytes += UInt32(page == pages ? 0 : bytes.count + 4).littleEndianBytes
        }
        return bytes
    }
}
