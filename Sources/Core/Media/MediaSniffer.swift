/// The recognition of formats from the first bytes, never from a name or a header.
///
/// The table is short on purpose: other formats never reach a decoder.
package enum MediaSniffer {
    /// The number of bytes that decides the question for every format known.
    package static let byteCount = 512

    package static func format(of bytes: Span<UInt8>) -> MediaFormat? {
        if bytes.has([0xFF, 0xD8, 0xFF]) { return .jpeg }
        if bytes.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if bytes.has("GIF87a") || bytes.has("GIF89a") { return .gif }
        if bytes.has([0x49, 0x49, 0x2A, 0x00]) || bytes.has([0x4D, 0x4D, 0x00, 0x2A]) { return .tiff }
        if bytes.has("RIFF") { return riffFormat(of: bytes) }
        if bytes.has("FORM"), bytes.has("AIFF", at: 8) || bytes.has("AIFC", at: 8) { return .aiff }
        if let box = isoBaseMediaFormat(of: bytes) { return box }
        if bytes.has([0x1A, 0x45, 0xDF, 0xA3]) { return bytes.contains("webm", before: 64) ? .webm : .matroska }
        if bytes.has("OggS") { return .ogg }
        if bytes.has("fLaC") { return .flac }
        if bytes.has([0x00, 0x00, 0x01, 0xBA]) || bytes.has([0x00, 0x00, 0x01, 0xB3]) { return .mpegProgramStream }
        if bytes.has([0x47]), bytes.has([0x47], at: 188), bytes.has([0x47], at: 376) { return .mpegTransportStream }
        return bytes.has("ID3") ? .mp3 : mpegAudioFormat(of: bytes)
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
        guard let major = brands.first else { return nil }
        switch major {
        case "mif1", "msf1": return .heic
        case "M4A ", "M4B ", "F4A ": return .m4a
        case "M4V ", "M4VH", "M4VP": return .m4v
        case "qt  ": return .quickTime
        default: return major.hasPrefix("3g") ? .threeGPP : .mp4
        }
    }

    /// Returns the format of an MPEG audio frame header: eleven set bits, then a layer. Layer 0 is AAC in ADTS.
    private static func mpegAudioFormat(of bytes: Span<UInt8>) -> MediaFormat? {
        guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0 else { return nil }
        let layer = bytes[1] >> 1 & 3
        if layer == 0 { return bytes[1] & 0xF0 == 0xF0 && bytes[2] >> 2 & 0xF < 13 ? .aac : nil }
        let version = bytes[1] >> 3 & 3
        let bitRate = bytes[2] >> 4
        let sampleRate = bytes[2] >> 2 & 3
        return version != 1 && bitRate != 0xF && sampleRate != 3 && layer == 1 ? .mp3 : nil
    }
}

extension Span<UInt8> {
    fileprivate func has(_ signature: [UInt8], at offset: Int = 0) -> Bool {
        guard count >= offset + signature.count else { return false }
        return signature.indices.allSatisfy { self[offset + $0] == signature[$0] }
    }

    fileprivate func has(_ signature: String, at offset: Int = 0) -> Bool { has(Array(signature.utf8), at: offset) }

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
