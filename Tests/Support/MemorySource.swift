import DecoderWire

/// A source in memory: whole, cut short, or still on its way.
package final class MemorySource: SourceBytes {
    private let bytes: [UInt8]
    /// How many reads go by before a source that is on its way is whole.
    private var readsLeft: Int
    package let isCut: Bool
    /// Time is nearly up once so many bytes have been read.
    package var byteCountAtExpiry = Int.max
    package private(set) var bytesRead = 0

    package init(_ bytes: [UInt8], isCut: Bool = false, readsUntilWhole: Int = 0) {
        self.bytes = bytes
        self.isCut = isCut
        readsLeft = readsUntilWhole
    }

    package var timeWillExpire: Bool { bytesRead >= byteCountAtExpiry }

    package var isWhole: Bool { !isCut && readsLeft == 0 }

    package func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        readsLeft = max(0, readsLeft - 1)
        guard offset < bytes.count else { return 0 }
        let part = bytes[offset..<min(bytes.count, offset + buffer.count)]
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
