/// The recognition of a source's format, step by step: from its first bytes, or from those behind what comes first.
///
/// Sound may begin with ID3v2 tags, which hold whole pictures, and with zero bytes. Only the bytes behind them tell
/// MP3 from FLAC and AAC.
package struct FormatRecognition {
    package enum Step: Equatable {
        /// The answer; `nil` if the source has no known format.
        case recognized(MediaFormat?)
        /// The format shows in the bytes of this range, as far as the source has them.
        case looksAt(Range<Int>)
    }

    /// The most tags that are skipped. Programs that edit tags sometimes add a second one.
    private static let tagLimit = 4
    /// The most zero bytes that are skipped. libav's demuxer of MP3 looks no further.
    private static let zeroLimit = MediaSniffer.zeroLimit

    private var start = 0
    private var tagCount = 0
    private var zeroCount = 0

    package init() {}

    /// The range to look at first.
    package static let firstRange = 0..<MediaSniffer.byteCount

    /// Takes the bytes of the last range. They may be fewer at the end of the source.
    package mutating func take(_ bytes: Span<UInt8>) -> Step {
        if tagCount < Self.tagLimit, let tag = MediaSniffer.tagByteCount(of: bytes) {
            // At most 256 MB each, as their sizes have 28 bits.
            start += tag
            tagCount += 1
            return .looksAt(start..<start + MediaSniffer.byteCount)
        }
        let format = MediaSniffer.format(of: bytes)
        let zeros = bytes.zeroCount(upTo: bytes.count)
        if format == nil, zeros > 0, zeroCount < Self.zeroLimit, zeros < bytes.count || zeros == MediaSniffer.byteCount
        {
            start += zeros
            zeroCount += zeros
            return .looksAt(start..<start + MediaSniffer.byteCount)
        }
        guard start > 0 else { return .recognized(format) }
        if let format, format.kind == .audio { return .recognized(format) }
        // Behind a tag and some more foreign bytes there is usually MP3.
        return .recognized(tagCount > 0 ? .mp3 : nil)
    }
}
