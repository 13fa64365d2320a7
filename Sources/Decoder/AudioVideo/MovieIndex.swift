import DecoderWire

/// Where a movie has its index, so that it can be asked for at one go.
enum MovieIndex {
    /// Fragments come behind the index; nobody has more than a few boxes before it.
    private static let boxLimit = 32
    private static let headerByteCount = 16

    /// The box `moov` among the outermost ones (ISO/IEC 14496-12, section 4.2), behind which a source that ends may.
    static func place(in bytes: any SourceBytes) -> Range<Int>? {
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
        var count = 0
        while count < header.count {
            let read = unsafe header.withUnsafeMutableBytes { header in
                unsafe bytes.read(at: start + count, into: UnsafeMutableRawBufferPointer(rebasing: header[count...]))
            }
            guard read > 0 else { return nil }
            count += read
        }
        func number(_ range: Range<Int>) -> UInt64 { header[range].reduce(0) { $0 << 8 | UInt64($1) } }
        // A size of 1 stands for a long one behind the type; 0 for a box that goes on to the end.
        let isLong = number(0..<4) == 1
        let size = isLong ? number(8..<16) : number(0..<4)
        guard size >= (isLong ? 16 : 8), let size = Int(exactly: size), size < Int.max - start - headerByteCount else {
            return nil
        }
        return (String(decoding: header[4..<8], as: UTF8.self), start..<start + size)
    }
}
