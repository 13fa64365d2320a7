import DecoderWire
import Media

/// The positions of packets in a source of raw sound. libav doesn't tell them once it has skipped something.
final class SourceTrail {
    /// The number of bytes by which a packet is known, and those that show what was skipped.
    private static let markByteCount = 16
    private static let blockByteCount = 65_536

    private let source: any SourceBytes
    /// The position behind the last packet; `nil` if it is not known.
    private var position: Int?
    /// The bytes that may still be searched for packets.
    private var searchesLeft = 16_777_216

    init(_ source: any SourceBytes) { self.source = source }

    /// Takes the next packet. Returns the beginning of the bytes that were skipped before it, or `nil` if it follows the
    /// last one at once.
    func follow(_ packet: Packet) throws(DecodeError) -> [UInt8]? {
        let mark = try packet.withBytes { bytes throws(DecodeError) in
            (0..<min(bytes.count, Self.markByteCount)).map { bytes[$0] }
        }
        let expected = position
        if let expected, bytes(at: expected, mark.count) == mark {
            position = expected + packet.byteCount
            return nil
        }
        position = try find(mark, from: expected ?? max(0, packet.position)).map { $0 + packet.byteCount }
        return expected.map { bytes(at: $0, Self.markByteCount) }
    }

    /// The beginning of the bytes behind the last packet. Empty at the end of the source, `nil` if not known.
    var rest: [UInt8]? { position.map { bytes(at: $0, Self.markByteCount) } }

    private func find(_ mark: [UInt8], from start: Int) throws(DecodeError) -> Int? {
        var start = start
        while !mark.isEmpty {
            let block = bytes(at: start, Self.blockByteCount)
            if let found = block.firstRange(of: mark) { return start + found.lowerBound }
            guard block.count > mark.count else { return nil }
            searchesLeft -= block.count
            guard searchesLeft > 0 else {
                throw DecodeError(.unsupportedFormat, "sound with so much between its frames cannot be copied")
            }
            start += block.count - mark.count + 1
        }
        return nil
    }

    private func bytes(at offset: Int, _ count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = unsafe source.readFully(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }
}
