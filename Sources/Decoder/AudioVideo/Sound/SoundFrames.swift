import DecoderWire
import Media

/// A filter for the packets of a raw stream of sound: it lets whole frames through, and nothing else.
///
/// Tags, padding and foreign bytes stand before, between and behind frames. libav passes some of them on with the frames,
/// and leaves out others. A frame that was cut short would take the bytes behind it, as many as its header says: so a
/// frame counts only once it is known what follows it.
struct SoundFrames {
    /// The beginnings of the tags that stand behind the last frame: ID3v1, APEv2, Lyrics3, and ID3v2 of the next song.
    private static let tags = ["TAG", "APETAGEX", "LYRICSBEGIN", "ID3"].map { Array($0.utf8) }

    private let coding: SoundFrameHeader.Coding
    private let sampleRate: Int
    /// The positions of the packets in a source that has nothing else; `nil` for other sources.
    private let trail: SourceTrail?
    /// The last frame, whose end is not certain yet.
    private(set) var waiting: Packet?

    init(_ coding: SoundFrameHeader.Coding, sampleRate: Int, in source: (any SourceBytes)?) {
        self.coding = coding
        self.sampleRate = sampleRate
        trail = source.map(SourceTrail.init)
    }

    /// Takes the stream's next packet. Returns the frame before it, if that is whole.
    mutating func take(_ packet: Packet) throws(DecodeError) -> Packet? {
        let frame = try packet.withBytes { bytes throws(DecodeError) in try self.frame(in: bytes) }
        let endsFrame = try packet.withBytes { bytes throws(DecodeError) in self.endsFrame(bytes) }
        let skipped = try trail?.follow(packet)
        let before = endsFrame && (skipped.map { self.endsFrame($0.span) } ?? true) ? waiting : nil
        waiting = nil
        guard let frame else { return before }
        let isDescription = try packet.withBytes { bytes throws(DecodeError) in
            coding == .mp3 && Self.isDescription(bytes, frame)
        }
        if !isDescription { waiting = try packet.part(frame) }
        return before
    }

    /// Returns the last frame, if it is whole.
    mutating func end() throws(DecodeError) -> Packet? {
        guard let last = waiting.take() else { return nil }
        if let rest = trail?.rest, !endsFrame(rest.span) { return nil }
        return try last.withBytes { bytes throws(DecodeError) in Self.hasTagAtEnd(bytes) } ? nil : last
    }

    /// Returns the range of the frame in a packet. libav puts foreign bytes before the frame that comes after them.
    private func frame(in bytes: Span<UInt8>) throws(DecodeError) -> Range<Int>? {
        for offset in 0..<max(0, bytes.count - 4) {
            guard let header = SoundFrameHeader(coding, in: bytes, at: offset) else { continue }
            let left = bytes.count - offset
            guard header.byteCount == left || (offset == 0 && header.byteCount < left) else { continue }
            guard header.sampleRate == sampleRate, header.hasChannelLayout else {
                throw DecodeError(.unsupportedFormat, "sound that changes its form cannot be copied")
            }
            guard SoundFrameHeader(coding, in: bytes, at: offset + header.byteCount) == nil else {
                throw DecodeError(.unsupportedFormat, "packets of several frames cannot be copied")
            }
            return offset..<offset + header.byteCount
        }
        return nil
    }

    /// Returns `true` if bytes that begin so can follow a whole frame: another one, a known tag, or none. Zeros may be
    /// padding, but also the rest of a tag.
    private func endsFrame(_ bytes: Span<UInt8>) -> Bool {
        bytes.isEmpty || SoundFrameHeader(coding, in: bytes)?.sampleRate == sampleRate
            || Self.tags.contains { bytes.has($0, at: 0) }
    }

    /// Returns `true` if a tag fills up the frame to its very end: the frame was cut where the tag begins.
    private static func hasTagAtEnd(_ bytes: Span<UInt8>) -> Bool {
        // ID3v1 has 128 bytes, APEv2 a footer of 32; both versions of Lyrics3 end in a word.
        bytes.has(Array("TAG".utf8), at: bytes.count - 128) || bytes.has(Array("APETAGEX".utf8), at: bytes.count - 32)
            || bytes.has(Array("LYRICS200".utf8), at: bytes.count - 9)
            || bytes.has(Array("LYRICSEND".utf8), at: bytes.count - 9)
    }

    /// Returns `true` for a frame that has no sound, but tells players of the file, and names the encoder. The muxer
    /// writes its own. It stands behind the side information, whose size depends on version and mode.
    private static func isDescription(_ bytes: Span<UInt8>, _ frame: Range<Int>) -> Bool {
        let start = frame.lowerBound
        let isFirst = bytes[start + 1] & 0x18 == 0x18
        let isMono = bytes[start + 3] & 0xC0 == 0xC0
        let sideByteCount = isFirst ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
        return bytes.has(Array("Xing".utf8), at: start + 4 + sideByteCount)
            || bytes.has(Array("Info".utf8), at: start + 4 + sideByteCount)
            || bytes.has(Array("VBRI".utf8), at: start + 36)
    }
}

extension Span<UInt8> {
    fileprivate func has(_ text: [UInt8], at offset: Int) -> Bool {
        guard offset >= 0, offset + text.count <= count else { return false }
        return text.indices.allSatisfy { self[offset + $0] == text[$0] }
    }
}
