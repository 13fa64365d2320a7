import DecoderWire

/// A source in memory: complete, truncated, or still arriving, and read as a whole or in blocks.
package final class MemorySource: SourceBytes {
    private let bytes: [UInt8]
    /// The number of reads until a source that is arriving is complete.
    private var readsLeft: Int
    /// The size of the blocks at whose ends a read stops, however much was asked for.
    private let blockByteCount: Int
    package let isCut: Bool
    /// The number of bytes after which time is nearly up.
    package var byteCountAtExpiry = Int.max
    package private(set) var bytesRead = 0

    package init(_ bytes: [UInt8], isCut: Bool = false, readsUntilWhole: Int = 0, blockByteCount: Int = .max) {
        self.bytes = bytes
        self.isCut = isCut
        readsLeft = readsUntilWhole
        self.blockByteCount = blockByteCount
    }

    /// The number of questions for the time, and that after which it is nearly up.
    package private(set) var questionCount = 0
    package var questionCountAtExpiry = Int.max

    package var timeWillExpire: Bool {
        questionCount += 1
        return bytesRead >= byteCountAtExpiry || questionCount > questionCountAtExpiry
    }

    package var isWhole: Bool { !isCut && readsLeft == 0 }

    package func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        readsLeft = max(0, readsLeft - 1)
        guard offset < bytes.count else { return 0 }
        let count = min(bytes.count - offset, buffer.count, blockByteCount - offset % blockByteCount)
        let part = bytes[offset..<offset + count]
        unsafe buffer.copyBytes(from: part)
        bytesRead += part.count
        return part.count
    }

    package func expect(_ ranges: [Range<Int>]) {}

    package var size: Int? { isWhole || isCut ? bytes.count : nil }

    package func waitForEnd() -> Int {
        readsLeft = 0
        return bytes.count
    }
}
