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
        _ = try emitter.emit(file.bytes, .m4a, as: rung, longest: range.duration)
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
        let report = try emitter.emit(file, .wav, as: .copied, longest: reader.range.duration)
        return request.isLast(report)
    }
}
