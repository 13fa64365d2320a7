import DecoderWire
package import Media

/// A source in memory that has only the requested parts, as a decoder sees a download in parts.
package final class PartedSource: SourceBytes {
    private let bytes: [UInt8]
    private let blockByteCount: Int
    private var expected = ByteRanges()
    /// The requested ranges, in order.
    package private(set) var requests: [Range<Int>]
    package private(set) var present: ByteRanges

    package init(_ bytes: [UInt8], firstByteCount: Int = 131_072, blockByteCount: Int = 65_536) {
        self.bytes = bytes
        self.blockByteCount = blockByteCount
        requests = [0..<min(bytes.count, firstByteCount)]
        present = ByteRanges(requests)
    }

    package var size: Int? { bytes.count }
    package let isWhole = false
    package let isCut = false
    package let timeWillExpire = false

    package func expect(_ ranges: [Range<Int>]) { expected = ByteRanges(ranges) }

    package func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset < bytes.count else { return 0 }
        if present.range(at: offset) == nil {
            let end = expected.range(at: offset)?.upperBound ?? offset + blockByteCount
            requests.append(offset..<min(end, bytes.count))
            present.insert(offset..<min(end, bytes.count))
        }
        guard let part = present.range(at: offset)?.clamped(to: offset..<offset + buffer.count) else { return 0 }
        unsafe buffer.copyBytes(from: bytes[part])
        return part.count
    }

    package func waitForEnd() -> Int { bytes.count }
}
