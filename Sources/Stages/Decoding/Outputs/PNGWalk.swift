/// A walk through a PNG from its first byte to its last (W3C PNG, 5.3): the chunks that a picture needs, each once and intact,
/// and nothing else.
struct PNGWalk {
    /// The most chunks of pixels.
    private static let chunkLimit = 100_000

    private(set) var width = 0
    private(set) var height = 0
    private var offset = 8
    private var previous: Int?
    private var seen: Set<Int> = []

    /// The types, as numbers.
    private enum Chunk {
        static let (header, end, pixels) = (0x4948_4452, 0x4945_4E44, 0x4944_4154)
        static let (palette, transparency) = (0x504C_5445, 0x7452_4E53)
        static let (gamma, primaries, resolution) = (0x6741_4D41, 0x6348_524D, 0x7048_5973)
    }

    /// Walks through the picture. Returns `nil` if anything but the picture is in the bytes.
    init?(_ bytes: Span<UInt8>) {
        guard bytes.bigEndian(at: 0, byteCount: 4) == 0x8950_4E47, bytes.bigEndian(at: 4, byteCount: 4) == 0x0D0A_1A0A
        else { return nil }
        for _ in 0..<Self.chunkLimit {
            guard let length = bytes.bigEndian(at: offset, byteCount: 4), length <= bytes.count - offset - 12,
                let type = bytes.bigEndian(at: offset + 4, byteCount: 4)
            else { return nil }
            let content = offset + 8..<offset + 8 + length
            guard allows(type, length),
                bytes.checksum(of: content.lowerBound - 4..<content.upperBound)
                    == bytes.bigEndian(at: content.upperBound, byteCount: 4)
            else { return nil }
            if type == Chunk.resolution {
                // That of every picture of libvips: 1,000 pixels in a meter.
                guard bytes.bigEndian(at: content.lowerBound, byteCount: 4) == 1000,
                    bytes.bigEndian(at: content.lowerBound + 4, byteCount: 4) == 1000,
                    bytes.bigEndian(at: content.lowerBound + 8, byteCount: 1) == 1
                else { return nil }
            }
            if type == Chunk.header {
                guard let width = bytes.bigEndian(at: content.lowerBound, byteCount: 4),
                    let height = bytes.bigEndian(at: content.lowerBound + 4, byteCount: 4)
                else { return nil }
                (self.width, self.height) = (width, height)
            }
            previous = type
            offset = content.upperBound + 4
            guard type != Chunk.end else {
                guard offset == bytes.count else { return nil }
                return
            }
        }
        return nil
    }

    /// Returns `true` if a chunk of that type and length may stand here. Only pixels may have several, one after the other.
    private mutating func allows(_ type: Int, _ length: Int) -> Bool {
        guard (previous == nil) == (type == Chunk.header) else { return false }
        let isFirst = seen.insert(type).inserted
        guard isFirst || type == Chunk.pixels && previous == Chunk.pixels else { return false }
        let hasPixels = seen.contains(Chunk.pixels)
        return switch type {
        case Chunk.header: length == 13
        case Chunk.gamma: length == 4 && !hasPixels
        case Chunk.primaries: length == 32 && !hasPixels
        case Chunk.resolution: length == 9 && !hasPixels
        case Chunk.palette: 3...768 ~= length && length % 3 == 0 && !hasPixels
        case Chunk.transparency: 1...256 ~= length && !hasPixels
        case Chunk.pixels: true
        case Chunk.end: length == 0 && hasPixels
        default: false
        }
    }
}

extension Span<UInt8> {
    /// Returns the checksum of W3C PNG, annex D, of the bytes in `range`, which lies inside.
    fileprivate func checksum(of range: Range<Int>) -> Int {
        let tables = checksumTables.span
        let raw = unsafe bytes
        var rest = ~UInt32(0)
        var offset = range.lowerBound
        // Eight bytes at a time: one table for each distance to the end of the eight.
        while offset <= range.upperBound - 8 {
            let word = unsafe UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
            var index = word ^ UInt64(rest)
            rest = 0
            var table = 1792
            while table >= 0 {
                rest ^= tables[table + Int(truncatingIfNeeded: index & 0xFF)]
                index >>= 8
                table -= 256
            }
            offset += 8
        }
        while offset < range.upperBound {
            rest = tables[Int((rest ^ UInt32(self[offset])) & 0xFF)] ^ rest >> 8
            offset += 1
        }
        return Int(~rest)
    }
}

/// The remainders of each byte for the polynomial, then those with one more zero byte behind it, and so on: eight times 256.
private let checksumTables: [UInt32] = {
    let polynomial: UInt32 = 0xEDB8_8320
    var tables: [UInt32] = []
    for byte in UInt32(0)..<256 {
        var rest = byte
        for _ in 0..<8 { rest = rest & 1 == 1 ? polynomial ^ (rest >> 1) : rest >> 1 }
        tables.append(rest)
    }
    for index in 256..<2048 {
        let before = tables[index - 256]
        tables.append(tables[Int(before & 0xFF)] ^ (before >> 8))
    }
    return tables
}()
