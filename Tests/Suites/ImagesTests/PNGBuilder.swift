/// A writer of PNGs with exact pixels, uncompressed, without any library under test.
enum PNGBuilder {
    enum Colors: UInt8 {
        case gray = 0
        case rgb = 2
        case rgba = 6
        /// 16 bits a band, most significant byte first.
        case rgb16 = 0x82

        /// The number of bytes of a pixel.
        var bands: Int {
            switch self {
            case .gray: 1
            case .rgb: 3
            case .rgba: 4
            case .rgb16: 6
            }
        }

        fileprivate var header: [UInt8] { [rawValue & 0x80 == 0 ? 8 : 16, rawValue & 0x7F] }
    }

    /// The parts of a picture, before they are put together.
    struct Parts {
        var header: [UInt8]
        /// The rows before compression, each after its filter.
        var rows: [UInt8] = []
        /// The rows after compression.
        var pixels: [UInt8] { PNGBuilder.zlibStored(rows) }

        init(_ width: Int, _ height: Int, _ colors: Colors = .rgb, pixel: (_ x: Int, _ y: Int) -> [UInt8]) {
            header = PNGBuilder.bigEndian(width) + PNGBuilder.bigEndian(height) + colors.header + [0, 0, 0]
            rows.reserveCapacity(height * (width * colors.bands + 1))
            for y in 0..<height {
                rows.append(0)
                for x in 0..<width { rows += pixel(x, y) }
            }
        }

        /// Returns the picture, with more chunks before and behind the pixels.
        func file(
            extra: [(type: String, data: [UInt8])] = [],
            pixels: [[UInt8]]? = nil,
            behind: [(type: String, data: [UInt8])] = [],
            end: [UInt8] = [],
        ) -> [UInt8] {
            var png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + PNGBuilder.chunk("IHDR", header)
            for extra in extra { png += PNGBuilder.chunk(extra.type, extra.data) }
            for part in pixels ?? [self.pixels] { png += PNGBuilder.chunk("IDAT", part) }
            for extra in behind { png += PNGBuilder.chunk(extra.type, extra.data) }
            return png + PNGBuilder.chunk("IEND", end)
        }
    }

    /// Returns a picture with the bands `pixel` at x and y.
    static func picture(
        _ width: Int,
        _ height: Int,
        _ colors: Colors = .rgb,
        extraChunks: [(type: String, data: [UInt8])] = [],
        pixel: (_ x: Int, _ y: Int) -> [UInt8],
    ) -> [UInt8] {
        Parts(width, height, colors, pixel: pixel).file(extra: extraChunks)
    }

    /// Returns a header that claims a size, without the picture.
    static func header(_ width: Int, _ height: Int) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", bigEndian(width) + bigEndian(height) + [8, 2, 0, 0, 0])
            + chunk("IDAT", zlibStored([]))
    }

    static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + data
        return bigEndian(data.count) + body + bigEndian(Int(crc(body)))
    }

    fileprivate static func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// Wraps stored, uncompressed RFC 1951 blocks in RFC 1950.
    static func zlibStored(_ data: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        for start in stride(from: 0, through: data.count, by: 65535) {
            let block = data[start..<min(data.count, start + 65535)]
            let isLast: UInt8 = start + 65535 > data.count ? 1 : 0
            let length = [UInt8(truncatingIfNeeded: block.count), UInt8(truncatingIfNeeded: block.count >> 8)]
            stream += [isLast] + length + length.map { ~$0 } + block
        }
        var (a, b) = (1, 0)
        for byte in data {
            a = (a + Int(byte)) % 65521
            b = (b + a) % 65521
        }
        return stream + bigEndian(b << 16 | a)
    }

    private static let crcTable: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { crcTable[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
    }
}
