/// Functions that add segments to existing JPEGs.
enum JPEGBuilder {
    /// Returns `jpeg` with EXIF data that gives its orientation.
    static func oriented(_ jpeg: [UInt8], _ orientation: Int) -> [UInt8] {
        let entry: [UInt8] = [0x12, 0x01, 3, 0, 1, 0, 0, 0, UInt8(orientation), 0, 0, 0]
        return with(
            0xE1,
            Array("Exif\0\0".utf8) + [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0] + entry + [0, 0, 0, 0],
            in: jpeg
        )
    }

    /// Returns `jpeg` with one more segment, right after its start.
    static func with(_ marker: UInt8, _ payload: [UInt8], in jpeg: [UInt8]) -> [UInt8] {
        let length = payload.count + 2
        return [0xFF, 0xD8, 0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + payload + jpeg.dropFirst(2)
    }

    /// Returns `jpeg` with EXIF data that contains `thumbnail`.
    static func with(thumbnail: [UInt8], in jpeg: [UInt8]) -> [UInt8] {
        func long(_ value: Int) -> [UInt8] { [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) } }
        // An empty first directory, then the thumbnail's: compression 6, its offset, its length.
        let second: [UInt8] =
            [3, 0] + [0x03, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0]
            + [0x01, 0x02, 4, 0, 1, 0, 0, 0] + long(56) + [0x02, 0x02, 4, 0, 1, 0, 0, 0] + long(thumbnail.count)
            + long(0)
        let tiff: [UInt8] = [0x49, 0x49, 42, 0] + long(8) + [0, 0] + long(14) + second
        return with(0xE1, Array("Exif\0\0".utf8) + tiff + thumbnail, in: jpeg)
    }
}
