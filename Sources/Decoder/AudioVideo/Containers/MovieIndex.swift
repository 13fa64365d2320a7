import DecoderWire

/// The position of a movie's index, so that it can be requested at once.
enum MovieIndex {
    /// The most boxes that are looked at. Fragments come after the index, and only a few boxes come before it.
    private static let boxLimit = 32
    private static let headerByteCount = 16

    /// Returns the range of the outermost box `moov` (ISO/IEC 14496-12, section 4.2). It may extend beyond the end of a
    /// source.
    static func range(in bytes: any SourceBytes) -> Range<Int>? {
        var start = 0
        for _ in 0..<boxLimit {
            guard let box = box(at: start, in: bytes) else { return nil }
            if box.type == "moov" { return box.range }
            start = box.range.upperBound
        }
        return nil
    }

    private static func box(at start: Int, in bytes: any SourceBytes) -> (type: String, range: Range<Int>)? {
        var header = [UInt8](repeating: 0, count: headerByteCount)
        let count = unsafe header.withUnsafeMutableBytes { unsafe bytes.readFully(at: start, into: $0) }
        guard count == header.count else { return nil }
        func number(_ range: Range<Int>) -> UInt64 { header[range].reduce(0) { $0 << 8 | UInt64($1) } }
        // A size of 1 means that a 64-bit size follows the type; 0 means that the box extends to the end of the file.
        let isLong = number(0..<4) == 1
        let size = isLong ? number(8..<16) : number(0..<4)
        guard size >= (isLong ? 16 : 8), let size = Int(exactly: size), size < Int.max - start - headerByteCount else {
            return nil
        }
        return (String(decoding: header[4..<8], as: UTF8.self), start..<start + size)
    }
}
