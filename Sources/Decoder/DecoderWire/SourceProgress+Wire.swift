import Media

extension Wire {
    /// The most ranges of a source in one message. Later ranges are left out, as if their bytes had not arrived.
    package static let rangeLimit = 64
}

extension WireWriter {
    mutating func put(_ range: Range<Int>) {
        put(range.lowerBound)
        put(range.upperBound)
    }

    mutating func put(_ source: SourceProgress) {
        let ranges = source.present.ranges.prefix(Wire.rangeLimit)
        put(UInt8(truncatingIfNeeded: ranges.count))
        for range in ranges { put(range) }
        put(source.size)
        put(source.isEnded)
        put(source.isCut)
    }
}

extension WireReader {
    mutating func range() throws(WireError) -> Range<Int> {
        let (start, end) = (try count(), try count())
        guard start <= end else { throw .invalidValue }
        return start..<end
    }

    mutating func sourceProgress() throws(WireError) -> SourceProgress {
        let count = Int(try byte())
        guard count <= Wire.rangeLimit else { throw .invalidValue }
        var ranges: [Range<Int>] = []
        for _ in 0..<count { ranges.append(try range()) }
        let present = ByteRanges(ranges)
        // Rejects any other encoding: only our decoder sends this message.
        guard present.ranges == ranges else { throw .invalidValue }
        return SourceProgress(
            present: present,
            size: try optionalCount(),
            isEnded: try flag(),
            isCut: try flag(),
        )
    }
}
