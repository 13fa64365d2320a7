import Base
import CLibav
import DecoderWire
import Media

/// The conversion of sound into a clip: a copy of its samples, or a new encoding.
struct AudioConversion {
    /// The shortest sound, in microseconds, that is worth delivering when time runs out.
    private static let shortest: Int64 = 1_000_000

    let request: ConversionRequest
    let source: any SourceBytes
    let demuxer: Demuxer
    let audio: MediaStream
    let emitter: ClipEmitter

    func run() throws(DecodeError) {
        guard let rules = request.audio else {
            throw DecodeError(.unsupportedFormat, "the profile delivers no sound", cause: .silentProfile)
        }
        let range = ClipRange(request.clip, longest: rules.duration, in: demuxer)
        let reader = try ClipReader(demuxer, range: range, streams: [audio])
        // The first packet says whether the sound is encrypted, which hides what can be done with it.
        _ = try reader.packet(at: 0)
        if emitter.wants(.copied), audio.isUncompressed {
            do {
                if try copy(reader, rules) { return }
            } catch {
                // Sound that cannot be copied is encoded again.
                guard emitter.wants(.transcoded) || emitter.wants(.shortened) else { throw error }
            }
        }
        // Where time is short, the sound so far is better than none: it is done when the time runs out.
        guard emitter.wants(.transcoded) || emitter.wants(.shortened) && !emitter.hasEmitted, !mustStop else { return }
        let encoding = try reader.encoding(of: audio)
        // Without another result, a shortened clip is better than none.
        var isShortened = false
        let file = try encoded(reader, as: encoding, rules, until: { mustStop }) { duration in
            isShortened = source.timeWillExpire && !emitter.hasEmitted && duration >= Self.shortest
            return isShortened
        }
        guard var file else { return }
        if !isShortened, let smaller = encoding.corrected(for: file.bytes.byteCount, lasting: file.duration) {
            // The first encoding is still good if the second one fails or has no time.
            let second = try? encoded(reader, as: smaller, rules) { source.timeWillExpire }
            if let second, second.bytes.byteCount < file.bytes.byteCount { file = second }
        }
        let rung = isShortened ? Rung.shortened : .transcoded
        _ = try emitter.emit(file.bytes, .m4a, as: rung, of: reader)
    }

    /// Encodes the sound. Returns `nil` if it had to stop.
    private func encoded(
        _ reader: ClipReader,
        as encoding: SoundEncoding,
        _ rules: AudioRules,
        until mustStop: () -> Bool,
        orShortenedOnce isEnough: (_ duration: Int64) -> Bool = { _ in false },
    ) throws(DecodeError) -> (bytes: FileInMemory, duration: Int64)? {
        let muxer = try Muxer(.m4a, byteLimit: rules.byteLimit)
        let track = try EncodedAudioTrack(
            audio,
            as: encoding,
            range: reader.range,
            limits: request.limits,
            without: request.disabled,
            muxer: muxer
        )
        let assembly = ClipAssembly(reader: reader, muxer: muxer, tracks: [track])
        let file = try assembly.run(until: mustStop, orShortenedOnce: { isEnough(track.duration) })
        return file.map { ($0, track.duration) }
    }

    private var mustStop: Bool { emitter.hasEmitted && source.timeWillExpire }

    /// Emits a copy. Returns `true` if nothing better can follow.
    private func copy(_ reader: ClipReader, _ rules: AudioRules) throws(DecodeError) -> Bool {
        let muxer = try Muxer(.wav, byteLimit: rules.byteLimit)
        let track = try CopiedTrack(audio, range: reader.range, muxer: muxer)
        let assembly = ClipAssembly(reader: reader, muxer: muxer, tracks: [track])
        guard let file = try assembly.run(until: { mustStop }) else { return true }
        let report = try emitter.emit(file, .wav, as: .copied, of: reader)
        return request.isLast(report)
    }
}

// MARK: - Encodings

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

    /// Returns the encoding that gives the sound its planned size; `nil` if `byteCount` bytes for `microseconds` are close
    /// enough. The encoder spends up to half as much again on noise.
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
