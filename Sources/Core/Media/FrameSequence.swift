/// The recognition of sound and transport streams that begin in the middle, as recordings of a radio do: by headers that
/// follow one another at the distance that each states.
enum FrameSequence {
    /// The number of bytes that are looked at. Three frames of the highest bit rate fit in.
    static let byteCount = 6144

    /// Returns the format of the frames, the first of which may begin anywhere in `bytes`.
    static func format(in bytes: Span<UInt8>) -> MediaFormat? {
        for start in 0..<bytes.count {
            guard bytes[start] != 0x47 else {
                if isTransportStream(bytes, at: start) { return .mpegTransportStream }
                continue
            }
            guard let first = FrameHeader(bytes, at: start),
                let second = FrameHeader(bytes, at: start + first.byteCount), second.stream == first.stream
            else { continue }
            let third = start + first.byteCount + second.byteCount
            // Two frames may be all there is.
            if third + 4 > bytes.count || FrameHeader(bytes, at: third)?.stream == first.stream { return first.format }
        }
        return nil
    }

    /// The distances of packets: without anything else, with the time before each (AVCHD), and with parity behind each.
    private static let distances = [188, 192, 204]

    private static func isTransportStream(_ bytes: Span<UInt8>, at start: Int) -> Bool {
        distances.contains { distance in
            (1...3).allSatisfy { start + $0 * distance < bytes.count && bytes[start + $0 * distance] == 0x47 }
        }
    }

    /// Returns `true` if a frame of FLAC begins here (RFC 9639, 9.1). Its header has a checksum.
    static func isFLAC(_ bytes: Span<UInt8>, at start: Int) -> Bool {
        guard bytes.count >= start + 16, bytes[start] == 0xFF, bytes[start + 1] & 0xFE == 0xF8 else { return false }
        let (sizes, coding) = (bytes[start + 2], bytes[start + 3])
        guard sizes >> 4 != 0, sizes & 0xF != 0xF, coding >> 4 <= 10, coding & 1 == 0 else { return false }
        // The number of the frame is coded as a character of UTF-8 is.
        let ones = (~bytes[start + 4]).leadingZeroBitCount
        guard ones != 1, ones < 8 else { return false }
        let blockSize = sizes >> 4 == 6 ? 1 : sizes >> 4 == 7 ? 2 : 0
        let sampleRate = sizes & 0xF == 12 ? 1 : sizes & 0xF > 12 ? 2 : 0
        let end = start + 4 + max(1, ones) + blockSize + sampleRate
        guard end < bytes.count else { return false }
        let checksum = (start..<end).reduce(UInt8(0)) { sum, index in
            (0..<8).reduce(sum ^ bytes[index]) { sum, _ in sum & 0x80 == 0 ? sum << 1 : sum << 1 ^ 0x07 }
        }
        return checksum == bytes[end]
    }
}

/// The header of a frame of MPEG sound (ISO/IEC 11172-3, 2.4.1.3) or of AAC in ADTS (ISO/IEC 14496-3, 1.A.2.2).
private struct FrameHeader {
    let format: MediaFormat
    /// The size of the frame with its header.
    let byteCount: Int
    /// The bits of the header that are equal in all frames of a stream.
    let stream: UInt32

    init?(_ bytes: Span<UInt8>, at start: Int) {
        guard bytes.count >= start + 6, bytes[start] == 0xFF, bytes[start + 1] & 0xE0 == 0xE0 else { return nil }
        let (second, third, fourth) = (bytes[start + 1], bytes[start + 2], bytes[start + 3])
        guard second & 0xF6 != 0xF0 else {
            guard third >> 2 & 0xF < 13 else { return nil }
            format = .aac
            byteCount = Int(fourth & 3) << 11 | Int(bytes[start + 4]) << 3 | Int(bytes[start + 5]) >> 5
            stream = UInt32(second) << 16 | UInt32(third & 0xFD) << 8 | UInt32(fourth & 0xC0)
            guard byteCount > 7 else { return nil }
            return
        }
        let (version, layer) = (second >> 3 & 3, second >> 1 & 3)
        let (rate, sampling) = (Int(third >> 4), Int(third >> 2 & 3))
        guard version != 1, layer == 1 || layer == 2, rate > 0, rate < 15, sampling < 3 else { return nil }
        let isFirst = version == 3
        let bitRate = (isFirst ? (layer == 2 ? Self.layer2 : Self.layer3) : Self.lowRates)[rate - 1] * 1000
        let sampleRate = [44_100, 48_000, 32_000][sampling] >> (isFirst ? 0 : version == 2 ? 1 : 2)
        let samples = layer == 1 && !isFirst ? 576 : 1152
        format = .mp3
        byteCount = samples / 8 * bitRate / sampleRate + Int(third >> 1 & 1)
        stream = UInt32(second & 0xFE) << 8 | UInt32(third & 0x0C)
    }

    /// The bit rates in kbit/s: of MPEG-1 in its layers 2 and 3, and of MPEG-2 in both.
    private static let layer2 = [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]
    private static let layer3 = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    private static let lowRates = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
}
