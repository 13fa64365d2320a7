/// The recognition of formats from the first bytes, never from a name or a header.
///
/// The table is short on purpose: other formats never reach a decoder.
package enum MediaSniffer {
    /// The number of bytes that decides the question for every format known, unless a tag comes first; see
    /// `FormatRecognition`.
    package static let byteCount = 512
    /// The most zero bytes that may come before MP3 or AAC. libav's demuxer of MP3 looks no further.
    static let zeroLimit = 65_536

    package static func format(of bytes: Span<UInt8>) -> MediaFormat? {
        if bytes.has([0xFF, 0xD8, 0xFF]) { return .jpeg }
        if bytes.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if bytes.has("GIF87a") || bytes.has("GIF89a") { return .gif }
        if bytes.has([0x49, 0x49, 0x2A, 0x00]) || bytes.has([0x4D, 0x4D, 0x00, 0x2A]) { return .tiff }
        if bytes.has("RIFF") { return riffFormat(of: bytes) }
        // The forms for more than 4 GiB (EBU Tech 3306, ITU-R BS.2088). Not RIFX, whose samples libav 5.1 takes for
        // little-endian.
        if bytes.has("RF64") || bytes.has("BW64") { return bytes.has("WAVE", at: 8) ? .wav : nil }
        if bytes.has("FORM"), bytes.has("AIFF", at: 8) || bytes.has("AIFC", at: 8) { return .aiff }
        if let box = isoBaseMediaFormat(of: bytes) { return box }
        if bytes.has([0x1A, 0x45, 0xDF, 0xA3]) { return bytes.contains("webm", before: 64) ? .webm : .matroska }
        if bytes.has("OggS") { return .ogg }
        if bytes.has("fLaC") || FrameSequence.isFLAC(bytes, at: 0) { return .flac }
        // Apple's format of voice messages, and that of telephones: for narrow bands and, with `-WB` behind it, for wide ones.
        if bytes.has("caff") { return .caf }
        if bytes.has("#!AMR") { return .amr }
        if bytes.has([0x00, 0x00, 0x01, 0xBA]) || bytes.has([0x00, 0x00, 0x01, 0xB3]) { return .mpegProgramStream }
        if bytes.has([0x47]), bytes.has([0x47], at: 188), bytes.has([0x47], at: 376) { return .mpegTransportStream }
        if let tag = tagByteCount(of: bytes) { return format(of: bytes, behindTag: tag) }
        // Some writers give a tag's size as a plain number. libav finds the frames behind it.
        if bytes.has("ID3") { return .mp3 }
        return mpegAudioFormat(of: bytes, at: bytes.zeroCount(upTo: zeroLimit))
    }

    /// Well-known formats that are not supported, with bytes by which they are recognized, and the position of these.
    private static let unsupported: [(name: String, bytes: [UInt8], position: Int)] = [
        ("PDF", Array("%PDF".utf8), 0), ("SVG", Array("<svg".utf8), 0), ("PSD", Array("8BPS".utf8), 0),
        ("JPEG XL", [0xFF, 0x0A], 0), ("JPEG XL", Array("JXL ".utf8), 4),
        ("a raw format of Canon", Array("ftypcrx ".utf8), 4),
        // Behind the mark, which is short, comes a size of any value.
        ("BMP", [0, 0, 0, 0], 6),
    ]

    /// Returns the failure of a source that begins with these bytes and whose format is not supported.
    package static func unrecognized(_ bytes: Span<UInt8>) -> AttachmentFailure {
        let format = unsupported.first { bytes.has($0.bytes, at: $0.position) && ($0.name != "BMP" || bytes.has("BM")) }
        let found = format.map { " It is \($0.name)." } ?? ""
        let text = "The source is not an image, video, or sound in a supported format, whatever its name or type says."
        return AttachmentFailure(.decode, .unrecognizedFormat, text + found)
    }

    /// Returns the size of the ID3v2 tag at the start, with its header and footer, or `nil` if the bytes do not begin
    /// with a tag. Its size is four times seven bits (ID3v2.4.0, 3.1).
    static func tagByteCount(of bytes: Span<UInt8>) -> Int? {
        guard bytes.count >= 10, bytes.has("ID3"), (6..<10).allSatisfy({ bytes[$0] < 0x80 }) else { return nil }
        let content = (6..<10).reduce(0) { $0 << 7 | Int(bytes[$1]) }
        return 10 + content + (bytes[5] & 0x10 == 0 ? 0 : 10)
    }

    /// Returns the format of sound behind a tag: MP3 unless the bytes behind it are there and say something else.
    private static func format(of bytes: Span<UInt8>, behindTag tag: Int) -> MediaFormat {
        guard tag < bytes.count else { return .mp3 }
        if bytes.has("fLaC", at: tag) { return .flac }
        return mpegAudioFormat(of: bytes, at: tag) ?? .mp3
    }

    private static func riffFormat(of bytes: Span<UInt8>) -> MediaFormat? {
        if bytes.has("WEBP", at: 8) { return .webp }
        if bytes.has("WAVE", at: 8) { return .wav }
        return bytes.has("AVI ", at: 8) ? .avi : nil
    }

    /// Returns the format of a file with an ISO/IEC 14496-12 `ftyp` box, which names the major brand and the compatible
    /// ones.
    private static func isoBaseMediaFormat(of bytes: Span<UInt8>) -> MediaFormat? {
        guard bytes.has("ftyp", at: 4) else {
            // QuickTime files older than the brand begin with one of these boxes.
            let quickTime = ["moov", "mdat", "wide", "free", "skip", "pnot"]
            return quickTime.contains { bytes.has($0, at: 4) } && bytes[0] == 0 ? .quickTime : nil
        }
        let boxSize = bytes.bigEndian32(at: 0) ?? 0
        let end = min(bytes.count, max(16, boxSize))
        var brands: [String] = []
        for offset in [8] + Array(stride(from: 16, to: end, by: 4)) {
            if let brand = bytes.fourCharacters(at: offset) { brands.append(brand) }
        }
        if brands.contains("avif") || brands.contains("avis") { return .avif }
        if brands.contains(where: ["heic", "heix", "heim", "heis", "hevc", "hevx"].contains) { return .heic }
        // Canon's raw files are not videos.
        guard let major = brands.first, major != "crx " else { return nil }
        switch major {
        case "mif1", "msf1": return .heic
        case "M4A ", "M4B ", "F4A ": return .m4a
        case "M4V ", "M4VH", "M4VP": return .m4v
        case "qt  ": return .quickTime
        default: return major.hasPrefix("3g") ? .threeGPP : .mp4
        }
    }

    /// Returns the format of an MPEG audio frame header: eleven set bits, then a layer. Layer 0 is AAC in ADTS.
    private static func mpegAudioFormat(of bytes: Span<UInt8>, at start: Int) -> MediaFormat? {
        guard bytes.count >= start + 4, bytes[start] == 0xFF, bytes[start + 1] & 0xE0 == 0xE0 else { return nil }
        let layer = bytes[start + 1] >> 1 & 3
        if layer == 0 { return bytes[start + 1] & 0xF0 == 0xF0 && bytes[start + 2] >> 2 & 0xF < 13 ? .aac : nil }
        let version = bytes[start + 1] >> 3 & 3
        let bitRate = bytes[start + 2] >> 4
        let sampleRate = bytes[start + 2] >> 2 & 3
        return version != 1 && bitRate != 0xF && sampleRate != 3 && layer == 1 ? .mp3 : nil
    }
}

extension Span<UInt8> {
    fileprivate func has(_ signature: [UInt8], at offset: Int = 0) -> Bool {
        guard count >= offset + signature.count else { return false }
        return signature.indices.allSatisfy { self[offset + $0] == signature[$0] }
    }

    fileprivate func has(_ signature: String, at offset: Int = 0) -> Bool { has(Array(signature.utf8), at: offset) }

    /// Returns the number of zero bytes at the start, or `limit` if there are more.
    func zeroCount(upTo limit: Int) -> Int {
        var zeros = 0
        while zeros < Swift.min(count, limit), self[zeros] == 0 { zeros += 1 }
        return zeros
    }

    fileprivate func contains(_ text: String, before end: Int) -> Bool {
        (0..<Swift.min(end, count)).contains { has(text, at: $0) }
    }

    fileprivate func bigEndian32(at offset: Int) -> Int? {
        guard count >= offset + 4 else { return nil }
        return (0..<4).reduce(0) { $0 << 8 | Int(self[offset + $1]) }
    }

    fileprivate func fourCharacters(at offset: Int) -> String? {
        guard count >= offset + 4 else { return nil }
        return String(decoding: (0..<4).map { self[offset + $0] }, as: UTF8.self)
    }
}

// MARK: - Step by step

/// The recognition of a source's format, step by step: from its first bytes, or from those behind what comes first.
///
/// Sound may begin with ID3v2 tags, which hold whole pictures, and with zero bytes. Only the bytes behind them tell
/// MP3 from FLAC and AAC. It may also begin in the middle of a frame, as a transport stream may in that of a packet.
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
    private var looksFurther = false
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
        let format = MediaSniffer.format(of: bytes) ?? (looksFurther ? FrameSequence.format(in: bytes) : nil)
        let zeros = bytes.zeroCount(upTo: bytes.count)
        if format == nil, zeros > 0, zeroCount < Self.zeroLimit, zeros < bytes.count || zeros == MediaSniffer.byteCount
        {
            start += zeros
            zeroCount += zeros
            return .looksAt(start..<start + MediaSniffer.byteCount)
        }
        if format == nil, !looksFurther {
            looksFurther = true
            return .looksAt(start..<start + FrameSequence.byteCount)
        }
        guard start > 0 else { return .recognized(format) }
        if let format, format.kind == .audio || format == .mpegTransportStream { return .recognized(format) }
        // Behind a tag and some more foreign bytes there is usually MP3.
        return .recognized(tagCount > 0 ? .mp3 : nil)
    }
}
