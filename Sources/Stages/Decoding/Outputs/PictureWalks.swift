// MARK: - JPEG

/// A walk through a JPEG from its first byte to its last (ITU-T T.81, annex B): the segments that a picture needs, the scans
/// between them, and nothing else.
///
/// A scan's data is looked through for markers only. What its bits mean is a matter of pixels.
struct JPEGWalk {
    /// The most segments: some tables and scans. A file of empty segments has millions.
    private static let segmentLimit = 1000

    private(set) var width = 0
    private(set) var height = 0
    private var offset = 2
    private var hasFrame = false
    private var hasRestarts = false
    /// A Boolean value that indicates whether the interval of restarts is there since the last scan.
    private var hasInterval = false
    private var quantisers: UInt8 = 0
    /// The Huffman tables since the last scan.
    private var codes = 0
    private var hasColors = false

    /// Walks through the picture. Returns `nil` if anything but the picture is in the bytes.
    init?(_ bytes: Span<UInt8>) {
        guard bytes.bigEndian(at: 0, byteCount: 2) == 0xFFD8 else { return nil }
        for _ in 0..<Self.segmentLimit {
            guard let marker = bytes.bigEndian(at: offset, byteCount: 2) else { return nil }
            if marker == 0xFFD9 {
                guard hasFrame, offset + 2 == bytes.count else { return nil }
                return
            }
            guard let length = bytes.bigEndian(at: offset + 2, byteCount: 2), length >= 2,
                offset + 2 + length <= bytes.count
            else { return nil }
            let content = offset + 4..<offset + 2 + length
            guard allows(marker, bytes, content) else { return nil }
            offset = content.upperBound
            if marker == 0xFFDA, !skipScan(bytes) { return nil }
        }
        return nil
    }

    /// Returns `true` if such a segment may stand here, and all of its content has a meaning.
    private mutating func allows(_ marker: Int, _ bytes: Span<UInt8>, _ content: Range<Int>) -> Bool {
        let start = content.lowerBound
        switch marker {
        case 0xFFC0, 0xFFC1, 0xFFC2:
            guard !hasFrame, content.count >= 6, bytes[start] == 8, 1...4 ~= bytes[start + 5],
                content.count == 6 + 3 * Int(bytes[start + 5]),
                let height = bytes.bigEndian(at: start + 1, byteCount: 2),
                let width = bytes.bigEndian(at: start + 3, byteCount: 2)
            else { return false }
            (hasFrame, self.width, self.height) = (true, width, height)
            return true
        case 0xFFC4: return areCodes(bytes, content)
        case 0xFFDB: return areQuantisers(bytes, content)
        case 0xFFDD:
            defer { (hasRestarts, hasInterval) = (true, true) }
            return !hasInterval && content.count == 2
        case 0xFFDA:
            (codes, hasInterval) = (0, false)
            return hasFrame && !content.isEmpty && 1...4 ~= bytes[start]
                && content.count == 4 + 2 * Int(bytes[start])
        case 0xFFE0:
            // JFIF without a thumbnail.
            return offset == 2 && content.count == 14 && bytes.bigEndian(at: start, byteCount: 5) == 0x4A_4649_4600
                && bytes.bigEndian(at: start + 12, byteCount: 2) == 0
        case 0xFFEE:
            // Adobe's colors, as libjpeg writes them: version 100, no flags, and the transform.
            defer { hasColors = true }
            return !hasColors && content.count == 12 && bytes.bigEndian(at: start, byteCount: 7) == 0x41_646F_6265_0064
                && bytes.bigEndian(at: start + 7, byteCount: 4) == 0 && bytes[start + 11] <= 2
        default: return false
        }
    }

    /// Returns `true` for quantisation tables, each of which is there once.
    private mutating func areQuantisers(_ bytes: Span<UInt8>, _ content: Range<Int>) -> Bool {
        var offset = content.lowerBound
        while offset < content.upperBound {
            let (size, number) = (bytes[offset] >> 4, bytes[offset] & 15)
            guard size <= 1, number < 4, quantisers & 1 << number == 0 else { return false }
            quantisers |= 1 << number
            offset += 65 + 64 * Int(size)
        }
        return offset == content.upperBound
    }

    /// Returns `true` for Huffman tables, as many as one scan can have.
    private mutating func areCodes(_ bytes: Span<UInt8>, _ content: Range<Int>) -> Bool {
        var offset = content.lowerBound
        while offset + 17 <= content.upperBound {
            codes += 1
            guard codes <= 8, bytes[offset] >> 4 <= 1, bytes[offset] & 15 < 4 else { return false }
            let count = (1...16).reduce(0) { $0 + Int(bytes[offset + $1]) }
            guard count <= 256 else { return false }
            offset += 17 + count
        }
        return offset == content.upperBound
    }

    /// Goes to the first marker behind a scan's data. Returns `false` if there is none.
    private mutating func skipScan(_ bytes: Span<UInt8>) -> Bool {
        let raw = unsafe bytes.bytes
        var restarts: UInt8 = 0
        while let found = raw.firstMarkerByte(from: offset), found + 1 < bytes.count {
            let next = bytes[found + 1]
            if next == 0xD0 + restarts, hasRestarts {
                restarts = (restarts + 1) & 7
            } else if next != 0 {
                offset = found
                return true
            }
            offset = found + 2
        }
        return false
    }
}

extension RawSpan {
    /// Returns the position of the first byte 0xFF from `start` on. Looks at eight bytes at a time, because scans are long and
    /// have few.
    fileprivate func firstMarkerByte(from start: Int) -> Int? {
        guard start >= 0 else { return nil }
        var offset = start
        while offset <= byteCount - 8 {
            let word = unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            // Each byte that is 0xFF becomes 0 in the complement, and borrows in the subtraction.
            let complement = ~word
            let found = (complement &- 0x0101_0101_0101_0101) & ~complement & 0x8080_8080_8080_8080
            if found != 0 { return offset + UInt64(littleEndian: found).trailingZeroBitCount / 8 }
            offset += 8
        }
        while offset < byteCount {
            if unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self) == 0xFF { return offset }
            offset += 1
        }
        return nil
    }
}

// MARK: - PNG

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

// MARK: - GIF

/// A walk through a GIF from its first byte to its last (GIF89a specification): the screen, images with their times, the
/// number of loops, and nothing else.
///
/// The codes of an image are a matter of pixels.
struct GIFWalk {
    let width: Int
    let height: Int
    private var offset = 13
    private var hasLoops = false
    private var hasControl = false
    private var hasImage = false

    /// The blocks' first bytes.
    private enum Block {
        static let (image, extension_, trailer): (UInt8, UInt8, UInt8) = (0x2C, 0x21, 0x3B)
    }

    /// Walks through the picture. Returns `nil` if anything but the picture is in the bytes.
    init?(_ bytes: Span<UInt8>) {
        guard bytes.bigEndian(at: 0, byteCount: 4) == 0x4749_4638,
            let width = bytes.littleEndian(at: 6, byteCount: 2), let height = bytes.littleEndian(at: 8, byteCount: 2),
            bytes.count > 13
        else { return nil }
        (self.width, self.height) = (width, height)
        offset += Self.tableByteCount(bytes[10])
        while offset < bytes.count {
            let block = bytes[offset]
            offset += 1
            switch block {
            case Block.image: guard skipImage(bytes) else { return nil }
            case Block.extension_: guard skipExtension(bytes) else { return nil }
            case Block.trailer:
                // A control belongs to the image behind it.
                guard hasImage, !hasControl, offset == bytes.count else { return nil }
                return
            default: return nil
            }
        }
        return nil
    }

    private static func tableByteCount(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }

    private mutating func skipImage(_ bytes: Span<UInt8>) -> Bool {
        guard offset + 9 < bytes.count else { return false }
        offset += 9 + Self.tableByteCount(bytes[offset + 8])
        guard offset < bytes.count, 2...8 ~= bytes[offset] else { return false }
        offset += 1
        (hasImage, hasControl) = (true, false)
        while offset < bytes.count {
            let length = Int(bytes[offset])
            offset += 1 + length
            if length == 0 { return true }
        }
        return false
    }

    /// Goes over the time of the next image, or the number of loops. Returns `false` for every other extension.
    private mutating func skipExtension(_ bytes: Span<UInt8>) -> Bool {
        if bytes.bigEndian(at: offset, byteCount: 2) == 0xF904 {
            guard !hasControl, bytes.bigEndian(at: offset + 6, byteCount: 1) == 0 else { return false }
            hasControl = true
            offset += 7
            return true
        }
        // The application NETSCAPE2.0, and one block with the number 1 and the loops.
        guard !hasLoops, !hasControl, bytes.bigEndian(at: offset, byteCount: 2) == 0xFF0B,
            bytes.bigEndian(at: offset + 2, byteCount: 7) == 0x4E_4554_5343_4150,
            bytes.bigEndian(at: offset + 9, byteCount: 4) == 0x4532_2E30,
            bytes.bigEndian(at: offset + 13, byteCount: 2) == 0x0301,
            bytes.bigEndian(at: offset + 17, byteCount: 1) == 0
        else { return false }
        hasLoops = true
        offset += 18
        return true
    }
}

// MARK: - Numbers

extension Span<UInt8> {
    /// Returns a number, most significant byte first; `nil` if its bytes are missing or it does not fit into an `Int`.
    func bigEndian(at offset: Int, byteCount: Int) -> Int? {
        guard offset >= 0, offset <= count - byteCount else { return nil }
        return Int(exactly: (0..<byteCount).reduce(UInt64(0)) { $0 << 8 | UInt64(self[offset + $1]) })
    }

    /// Returns a number, least significant byte first; `nil` if its bytes are missing or it does not fit into an `Int`.
    func littleEndian(at offset: Int, byteCount: Int) -> Int? {
        guard offset >= 0, offset <= count - byteCount else { return nil }
        return Int(exactly: (0..<byteCount).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64(self[offset + $1]) })
    }
}
