import Base
import CLibav
import DecoderWire
import Glibc
import Media

/// The conversion of a video into a clip: a poster, a copy of its coded pictures, or a new encoding.
struct VideoConversion {
    /// The share of the budget that is left after the container and the inaccuracy of rate control.
    private static let overhead = 0.92
    private static let audioBitRate: Int64 = 128_000
    private static let lowestBitRate: Int64 = 100_000
    /// The worst rate factor that is used to keep a clip as small as its source.
    private static let worstRateFactor = 34.0
    /// The addition to the computed rate factor, because sizes follow it only roughly.
    private static let rateFactorMargin = 1.0
    /// The time to wait for a copy: about that which a poster takes.
    private static let endTimeout: Duration = .milliseconds(100)

    /// The share of the time after which the pace of an encoding tells how long the rest will take: a quarter.
    private static let lookShare = 4

    /// The time at which the process took the source.
    private let begin = SystemTime().now
    let request: ConversionRequest
    let source: any SourceBytes
    let demuxer: Demuxer
    let video: MediaStream
    let audio: MediaStream?
    let emitter: ClipEmitter

    func run() throws(DecodeError) {
        guard let rules = request.video else { return try emitPosterOnly() }
        let range = ClipRange(request.clip, longest: rules.duration, in: demuxer)
        let reader = try ClipReader(demuxer, range: range, streams: [video, audio].compactMap(\.self))
        // The first packet says whether the video is encrypted, which hides what can be done with it.
        _ = try reader.packet(at: 0)
        let isCopyable = emitter.wants(.copied) && video.isCopyable(under: rules)
        var failure: DecodeError?
        // A copy of bytes that are already there, or arrive at once, is faster than a poster; but its sound is encoded, which
        // takes longer. So the poster comes first where time is too short for a whole encoding. A thumbnail or a tiny picture
        // for the payload needs a poster in any case.
        let isHurried = audio != nil && (!emitter.wants(.transcoded) || source.timeWillExpire)
        let needsPoster = request.thumbnailEdge != nil || request.image.inline != .off || isHurried
        let isQuick = isCopyable && !needsPoster && (source.isWhole || reader.reachesEnd(within: Self.endTimeout))
        if !isQuick { _ = attempt(&failure) { () throws(DecodeError) in try emitPoster(reader) } }
        // A video that cannot be copied is encoded again.
        let isDone = isCopyable && attempt(&failure) { () throws(DecodeError) in try copy(reader, rules) }
        guard !isDone else { return }
        if !emitter.hasEmitted {
            _ = attempt(&failure) { () throws(DecodeError) in try emitPoster(reader) }
        }
        if emitter.wants(.transcoded), !mustStop { return try transcode(reader, rules) }
        if !emitter.hasEmitted, let failure { throw failure }
    }

    /// Makes a rung. Returns its result; if it fails, records the reason in `failure` and returns `false`.
    private func attempt(_ failure: inout DecodeError?, _ rung: () throws(DecodeError) -> Bool) -> Bool {
        do {
            return try rung()
        } catch {
            failure = error
            return false
        }
    }

    private var mustStop: Bool { emitter.hasEmitted && source.timeWillExpire }

    /// A Boolean value that indicates whether time is too short to encode the sound beside a copied picture. The poster takes
    /// less; without the sound, the clip would not be what the sender meant.
    private var soundIsTooLate: Bool { audio != nil && emitter.wants(.poster) && source.timeWillExpire }

    private func emitPosterOnly() throws(DecodeError) {
        var clip = request.clip
        clip.start = clip.thumbnailTime ?? clip.start
        let range = ClipRange(clip, longest: .seconds(10), in: demuxer)
        let reader = try ClipReader(demuxer, range: range, streams: [video])
        let asked = clip.thumbnailTime.map { _ in range.start }
        try emitter.emitPoster(poster(reader, asked: asked), for: request)
    }

    private func poster(_ reader: ClipReader, asked: Int64?) -> PosterConversion {
        PosterConversion(request: request, reader: reader, stream: video, asked: asked) { source.timeWillExpire }
    }

    /// Emits the poster. Returns `true` if there is one.
    private func emitPoster(_ reader: ClipReader) throws(DecodeError) -> Bool {
        guard emitter.wants(.poster) else { return false }
        let asked = request.clip.thumbnailTime.map { demuxer.startTime + $0.microseconds }
        try emitter.emitPoster(poster(reader, asked: asked), for: request)
        return true
    }

    /// Emits a copy. Returns `true` if nothing better can follow.
    private func copy(_ reader: ClipReader, _ rules: VideoRules) throws(DecodeError) -> Bool {
        let muxer = try Muxer(.mp4, byteLimit: rules.byteLimit)
        let picture = try CopiedTrack(video, range: reader.range, muxer: muxer)
        // Coded sound is never copied: see `isUncompressed`.
        let sound = try encodedSound(reader, muxer)
        // If it had to stop before there is a poster, that one follows.
        guard let file = try assembled(reader, muxer, picture, sound, until: { mustStop || soundIsTooLate }) else {
            return emitter.hasEmitted
        }
        let report = try emitter.emit(file, .mp4, as: .copied, of: reader)
        return request.isLast(report)
    }

    /// Emits a new encoding. It is smaller than the source's clip, unless that has a better codec, and never larger than
    /// a copy.
    private func transcode(_ reader: ClipReader, _ rules: VideoRules) throws(DecodeError) {
        // Where nothing else moves, less is better than a picture.
        let shortest = emitter.clipByteCount == nil && emitter.wants(.shortened) ? rules.shortest?.microseconds : nil
        let first = try encoded(reader, rules, at: EncodedVideoTrack.goodRateFactor, orShortenedTo: shortest)
        guard var best = first else { return }
        guard !best.isShortened else {
            _ = try emitter.emit(best.file, .mp4, as: .shortened, of: reader)
            return
        }
        let limit = Double(reader.byteCount(of: video)) * video.sizeAllowance
        let excess = limit > 0 ? Double(best.videoByteCount) / limit : 0
        if excess > 1, !source.timeWillExpire {
            let factor = EncodedVideoTrack.goodRateFactor + 6 * log2(excess) + Self.rateFactorMargin
            // If it fails, the first one is still good.
            let second = try? encoded(reader, rules, at: min(factor, Self.worstRateFactor)) { source.timeWillExpire }
            if let second, second.file.byteCount < best.file.byteCount { best = second }
        }
        if let copied = emitter.clipByteCount, copied <= best.file.byteCount { return }
        _ = try emitter.emit(best.file, .mp4, as: .transcoded, of: reader)
    }

    /// Returns the track that encodes the clip's sound; `nil` without sound.
    private func encodedSound(_ reader: ClipReader, _ muxer: Muxer) throws(DecodeError) -> EncodedAudioTrack? {
        guard let audio else { return nil }
        return try EncodedAudioTrack(
            audio,
            as: reader.encoding(of: audio),
            range: reader.range,
            limits: request.limits,
            without: request.disabled,
            muxer: muxer,
        )
    }

    /// Encodes the clip. Returns `nil` if it had to stop.
    private func encoded(
        _ reader: ClipReader,
        _ rules: VideoRules,
        at rateFactor: Double,
        orShortenedTo shortest: Int64? = nil,
        until isLate: () -> Bool = { false },
    ) throws(DecodeError) -> (file: FileInMemory, videoByteCount: Int, isShortened: Bool)? {
        let muxer = try Muxer(.mp4, byteLimit: rules.byteLimit)
        let first = try firstSize(reader)
        let size = video.displaySize(of: first).fitting(longEdge: rules.longEdge).even
        let picture = try EncodedVideoTrack(
            video,
            size: size,
            like: first,
            bitRate: bitRate(for: reader.range, rules),
            rateFactor: rateFactor,
            range: reader.range,
            limits: request.limits,
            without: request.disabled,
            muxer: muxer,
        )
        let sound = try encodedSound(reader, muxer)
        let start = SystemTime().now
        let file = try assembled(
            reader,
            muxer,
            picture,
            sound,
            until: {
                guard !picture.isShortened, mustStop || isLate() else { return false }
                picture.isShortened = picture.duration >= shortest ?? .max
                return !picture.isShortened
            },
            orShortenedOnce: {
                if shortest != nil, isTooSlow(picture, since: start, for: reader.range) { picture.hurry() }
                return picture.isShortened
            },
        )
        return file.map { ($0, picture.byteCount, picture.isShortened || picture.isHurried) }
    }

    /// Returns `true` if all of the clip would take longer than there is time, as far as the pictures so far tell.
    private func isTooSlow(_ picture: EncodedVideoTrack, since start: Instant, for range: ClipRange) -> Bool {
        guard let timeLeft = request.timeLeft, picture.progress > 0 else { return false }
        let (now, share) = (SystemTime().now, Double(picture.progress) / Double(range.duration))
        let needed = (now - start) / share
        return now - begin > timeLeft / Self.lookShare && start + needed > begin + timeLeft - Self.endTimeout
    }

    /// Returns the size of the clip's first picture in the source.
    private func firstSize(_ reader: ClipReader) throws(DecodeError) -> PixelSize {
        if let known = reader.firstSize { return known }
        let decoder = try StreamDecoder.open(video, limits: request.limits, isSlow: false, without: request.disabled)
        var index = 0
        while reader.firstSize == nil, let packet = try reader.packet(at: index) {
            index += 1
            guard packet.stream == video.index else { continue }
            try decoder.send(packet)
            reader.firstSize = try decoder.receive()?.size
        }
        try decoder.send(nil)
        let last = try reader.firstSize == nil ? decoder.receive()?.size : nil
        return reader.firstSize ?? last ?? video.storedSize
    }

    /// Passes the clip through its tracks. Returns `nil` if it had to stop.
    private func assembled(
        _ reader: ClipReader,
        _ muxer: Muxer,
        _ picture: any ClipTrack,
        _ sound: EncodedAudioTrack?,
        until mustStop: () -> Bool,
        orShortenedOnce isEnough: () -> Bool = { false },
    ) throws(DecodeError) -> FileInMemory? {
        let tracks = [picture] + [sound].compactMap(\.self)
        let assembly = ClipAssembly(reader: reader, muxer: muxer, tracks: tracks)
        guard let file = try assembly.run(until: mustStop, orShortenedOnce: isEnough) else { return nil }
        // Packets that are needed but shown after the end, and the time for which the last packet of the file is decoded.
        let isShortened = (picture as? EncodedVideoTrack)?.isShortened ?? false
        file.edit { MovieEdits.shortened($0, to: tracks.map { isShortened ? picture.duration : $0.duration }) }
        return file
    }

    /// Returns the highest video bit rate that keeps the clip within its byte budget.
    private func bitRate(for range: ClipRange, _ rules: VideoRules) -> Int64 {
        // The encoder may be ahead by its buffer, which is one second.
        let seconds = Double(range.duration) / 1_000_000 + 1
        let bits = Double(rules.byteBudget) * 8 * Self.overhead
        return max(Self.lowestBitRate, Int64(clamping: bits / seconds) - (audio == nil ? 0 : Self.audioBitRate))
    }
}

extension MediaStream {
    /// The size that a new encoding may have, as a multiple of the source's. H.264 needs more than newer codecs for the
    /// same picture.
    fileprivate var sizeAllowance: Double {
        switch codec {
        case AV_CODEC_ID_HEVC, AV_CODEC_ID_VP9: 1.5
        case AV_CODEC_ID_AV1: 2
        default: 1
        }
    }
}
