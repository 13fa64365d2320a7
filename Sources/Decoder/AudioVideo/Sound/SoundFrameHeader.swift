/// The header of one frame of coded sound in a raw stream: MP3 (ISO/IEC 11172-3, 2.4.1.3, and 13818-3) or AAC in ADTS
/// (ISO/IEC 14496-3, 1.A.2.2).
struct SoundFrameHeader: Equatable {
    enum Coding { case mp3, adts }

    /// The number of bytes of the whole frame.
    let byteCount: Int
    let sampleRate: Int
    /// A Boolean value that indicates whether the header says which speaker each channel belongs to. Otherwise, the
    /// data does, in an element that may have a comment too.
    let hasChannelLayout: Bool

    /// Reads the header at `offset`. Returns `nil` if the bytes are not a header, or if it does not give the frame's length.
    init?(_ coding: Coding, in bytes: Span<UInt8>, at offset: Int = 0) {
        let found: SoundFrameHeader? =
            switch coding {
            case .mp3: Self.mp3(bytes, offset)
            case .adts: Self.adts(bytes, offset)
            }
        guard let found else { return nil }
        self = found
    }

    private init(byteCount: Int, sampleRate: Int, hasChannelLayout: Bool) {
        self.byteCount = byteCount
        self.sampleRate = sampleRate
        self.hasChannelLayout = hasChannelLayout
    }

    /// The bit rates of layer III by index, in kilobits a second: those of MPEG-1, and those of its lower sampling rates.
    private static let bitRates = [
        [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
        [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ]

    private static func mp3(_ bytes: Span<UInt8>, _ offset: Int) -> SoundFrameHeader? {
        guard offset >= 0, offset <= bytes.count - 4, bytes[offset] == 0xFF, bytes[offset + 1] & 0xE6 == 0xE2 else {
            return nil
        }
        let (second, third) = (bytes[offset + 1], bytes[offset + 2])
        let (version, bitRateIndex, rateIndex) = (second >> 3 & 3, Int(third >> 4), Int(third >> 2 & 3))
        // Version 1 and emphasis 2 are reserved. Bit rate 0 leaves the length open.
        guard version != 1, 1..<15 ~= bitRateIndex, rateIndex != 3, bytes[offset + 3] & 3 != 2 else { return nil }
        let isFirst = version == 3
        let sampleRate = [44_100, 48_000, 32_000][rateIndex] >> (isFirst ? 0 : version == 2 ? 1 : 2)
        let bitRate = bitRates[isFirst ? 0 : 1][bitRateIndex] * 1000
        let byteCount = (isFirst ? 144 : 72) * bitRate / sampleRate + Int(third >> 1 & 1)
        return SoundFrameHeader(byteCount: byteCount, sampleRate: sampleRate, hasChannelLayout: true)
    }

    private static let adtsRates = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
    ]

    private static func adts(_ bytes: Span<UInt8>, _ offset: Int) -> SoundFrameHeader? {
        guard offset >= 0, offset <= bytes.count - 7, bytes[offset] == 0xFF, bytes[offset + 1] & 0xF6 == 0xF0 else {
            return nil
        }
        let rateIndex = Int(bytes[offset + 2] >> 2 & 0xF)
        let channels = bytes[offset + 2] << 2 & 4 | bytes[offset + 3] >> 6
        let byteCount = Int(bytes[offset + 3] & 3) << 11 | Int(bytes[offset + 4]) << 3 | Int(bytes[offset + 5] >> 5)
        guard rateIndex < adtsRates.count, byteCount > 7 else { return nil }
        return SoundFrameHeader(
            byteCount: byteCount,
            sampleRate: adtsRates[rateIndex],
            hasChannelLayout: channels != 0,
        )
    }
}
