import DecoderWire

/// A source of which a few bytes differ.
final class ChangedBytes: SourceBytes {
    private let source: any SourceBytes
    /// The new bytes by position.
    private let changes: [Int: UInt8]

    init(of source: any SourceBytes, _ changes: [Int: UInt8]) {
        self.source = source
        self.changes = changes
    }

    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = unsafe source.read(at: offset, into: buffer)
        for (position, byte) in changes where position >= offset && position - offset < count {
            unsafe buffer[position - offset] = byte
        }
        return count
    }

    func expect(_ ranges: [Range<Int>]) { source.expect(ranges) }

    func waitForEnd() -> Int { source.waitForEnd() }

    var size: Int? { source.size }
    var isWhole: Bool { source.isWhole }
    var isCut: Bool { source.isCut }
    var timeWillExpire: Bool { source.timeWillExpire }
}
