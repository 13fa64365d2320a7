import CLibav
import Values

/// The form of a new encoding of sound: AAC that sounds as its source does, and needs no more bytes without need.
struct SoundEncoding: Equatable {
    /// The most bits a second for each number of channels: more is not heard.
    private static let most: [Int32: Int64] = [1: 72_000, 2: 128_000]
    /// The fewest bits a second of a channel. Speech becomes hard to follow below it.
    private static let leastOfChannel: Int64 = 24_000
    /// The bits a second of a channel from which on high frequencies are worth their share.
    private static let fullRangeOfChannel: Int64 = 40_000
    /// The share of the source's bits that is left for the sound: the container needs some bytes for each frame.
    private static let share = 0.97

    /// The bytes of a container's header, about.
    private static let headerByteCount = 1000.0

    let sampleRate: Int32
    let channels: Int32
    private(set) var bitRate: Int64

    /// Creates the form for a source whose sound takes `sourceBitRate` bits a second; `nil` if that is not known.
    init(of stream: MediaStream, sourceBitRate: Int64?) {
        let stored = unsafe stream.parameters.pointee
        channels = unsafe stored.ch_layout.nb_channels == 1 ? 1 : 2
        let most = Self.most[channels] ?? 128_000
        let least = Int64(channels) * Self.leastOfChannel
        let allowed = sourceBitRate.map { Int64(clamping: Double($0) * stream.soundAllowance * Self.share) } ?? most
        bitRate = min(most, max(least, allowed))
        // Every device plays these rates. Those of one family need the simpler resampling. Nothing of a low rate is lost
        // at half of the usual one, and few bits sound better there.
        let rate = unsafe stored.sample_rate
        let isOfDiscs = rate > 0 && 44_100 % rate == 0
        let isNarrow = (1...24_000).contains(rate) || bitRate < Int64(channels) * Self.fullRangeOfChannel
        sampleRate = isOfDiscs ? (isNarrow ? 22_050 : 44_100) : (isNarrow ? 24_000 : 48_000)
    }

    /// Returns the form that makes the sound as small as it was to be; `nil` if `byteCount` bytes for `microseconds` are about
    /// that. The encoder spends up to half as much again on noise.
    func corrected(for byteCount: Int, lasting microseconds: Int64) -> SoundEncoding? {
        let expected = Double(bitRate) / 8 * Double(microseconds) / 1_000_000 / Self.share + Self.headerByteCount
        let excess = Double(byteCount) / max(1, expected)
        guard excess > 1.03 else { return nil }
        var smaller = self
        smaller.bitRate = max(Int64(channels) * Self.leastOfChannel / 2, Int64(clamping: Double(bitRate) / excess))
        return smaller
    }
}

extension MediaStream {
    /// The bits that a new encoding may have, as a multiple of the source's. AAC needs more than newer codecs for the same
    /// sound.
    fileprivate var soundAllowance: Double {
        switch codec {
        case AV_CODEC_ID_OPUS: 1.5
        // High-efficiency AAC codes the high frequencies apart, which saves a third.
        case AV_CODEC_ID_AAC:
            unsafe [FF_PROFILE_AAC_HE, FF_PROFILE_AAC_HE_V2].contains(parameters.pointee.profile) ? 1.5 : 1
        default: 1
        }
    }
}
