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
    private var hasColours = false

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
            // Adobe's colours, as libjpeg writes them: version 100, no flags, and the transform.
            defer { hasColours = true }
            return !hasColours && content.count == 12 && bytes.bigEndian(at: start, byteCount: 7) == 0x41_646F_6265_0064
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
