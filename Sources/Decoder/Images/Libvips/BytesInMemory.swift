import DecoderWire

/// Bytes that are all in memory: an embedded thumbnail, or a file that was just rewritten.
final class BytesInMemory: SourceBytes {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    let isWhole = true
    let isCut = false
    let timeWillExpire = false

    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset < bytes.count else { return 0 }
        let part = bytes[offset..<min(bytes.count, offset + buffer.count)]
        unsafe buffer.copyBytes(from: part)
        return part.count
    }

    func expect(_ ranges: [Range<Int>]) {}

    func waitForEnd() -> Int { bytes.count }

    var size: Int? { bytes.count }
}

extension SourceBytes {
    /// Waits until the source has ended, and returns all of its bytes.
    func readToEnd() -> [UInt8] {
        let count = waitForEnd()
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let space = unsafe UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count])
            filled = unsafe readFully(at: 0, into: space)
        }
    }
}
