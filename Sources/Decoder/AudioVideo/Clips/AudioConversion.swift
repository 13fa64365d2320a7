import DecoderWire
import Media

/// The conversion of sound into a clip: a copy of its coded data, or a new encoding.
struct AudioConversion {
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
        if emitter.wants(.copied), let container = audio.copyContainer {
            do {
                if try copy(reader, container, rules) { return }
            } catch {
                // Sound that cannot be copied is encoded again.
                guard emitter.wants(.transcoded) else { throw error }
            }
        }
        guard emitter.wants(.transcoded), !mustStop else { return }
        let muxer = try Muxer(.m4a, byteLimit: rules.byteLimit)
        let track = try EncodedAudioTrack(
            audio,
            range: range,
            limits: request.limits,
            without: request.disabled,
            muxer: muxer
        )
        let assembly = ClipAssembly(reader: reader, muxer: muxer, tracks: [track])
        // Without another result, a shortened clip is better than none.
        var isShortened = false
        let file = try assembly.run(until: { mustStop }) {
            isShortened = source.timeWillExpire && !emitter.hasEmitted
            return isShortened
        }
        guard let file else { return }
        let rung = isShortened ? Rung.shortened : .transcoded
        _ = try emitter.emit(file, .m4a, as: rung, longest: range.duration)
    }

    private var mustStop: Bool { emitter.hasEmitted && source.timeWillExpire }

    /// Emits a copy. Returns `true` if nothing better can follow.
    private func copy(
        _ reader: ClipReader,
        _ container: Container,
        _ rules: AudioRules,
    ) throws(DecodeError) -> Bool {
        let muxer = try Muxer(container, byteLimit: rules.byteLimit)
        let padding = container == .mp3 ? try audio.samplesBeforeStart(in: reader) : 0
        let isRaw = request.format == .mp3 || request.format == .aac
        let track = try CopiedTrack(
            audio,
            range: reader.range,
            initialPadding: padding,
            rawSource: isRaw ? source : nil,
            muxer: muxer,
        )
        let assembly = ClipAssembly(reader: reader, muxer: muxer, tracks: [track])
        guard let file = try assembly.run(until: { mustStop }) else { return true }
        if container.isMovie { file.edit { MovieEdits.shortened($0, to: reader.range.duration) } }
        let report = try emitter.emit(file, container, as: .copied, longest: reader.range.duration)
        return request.isLast(report)
    }
}
