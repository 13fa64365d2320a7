import CLibav
import DecoderWire
import Media

/// An audio track that is decoded, resampled, cut to the sample, and encoded as AAC.
final class EncodedAudioTrack: ClipTrack {
    private let stream: MediaStream
    private let range: ClipRange
    private let muxer: Muxer
    private let decoder: StreamDecoder
    private let encoder: StreamEncoder
    private let resampler: Resampler
    private let output: Int
    private var samplesLeft: Int
    private var samplesWritten: Int64 = 0
    private var hasSound = false

    var source: Int { stream.index }

    /// The duration of the sound so far, in microseconds.
    var duration: Int64 { unsafe av_rescale(samplesWritten, 1_000_000, Int64(encoder.context.pointee.sample_rate)) }

    init(
        _ stream: MediaStream,
        as encoding: SoundEncoding,
        range: ClipRange,
        limits: MediaLimits,
        without disabled: DisabledFormats,
        muxer: Muxer,
    ) throws(DecodeError) {
        self.stream = stream
        self.range = range
        self.muxer = muxer
        decoder = try StreamDecoder.open(stream, limits: limits, isSlow: true, without: disabled)
        let encoder = try unsafe StreamEncoder.open("aac", options: [:]) { context in
            unsafe context.sample_rate = encoding.sampleRate
            unsafe context.sample_fmt = AV_SAMPLE_FMT_FLTP
            unsafe context.bit_rate = encoding.bitRate
            unsafe context.time_base = AVRational(num: 1, den: encoding.sampleRate)
            unsafe av_channel_layout_default(&context.ch_layout, encoding.channels)
        }
        resampler = try unsafe Resampler(to: encoder.context)
        let microsecond = AVRational(num: 1, den: AV_TIME_BASE)
        let samples = Int(av_rescale_q(range.duration, microsecond, AVRational(num: 1, den: encoding.sampleRate)))
        // Players and movies count in milliseconds: no clip is shorter than a frame.
        samplesLeft = unsafe max(samples, Int(encoder.context.pointee.frame_size))
        output = try unsafe muxer.addStream { (output) throws(DecodeError) in try unsafe encoder.describe(to: output) }
        self.encoder = encoder
    }

    func take(_ packet: Packet) throws(DecodeError) {
        try decoder.send(packet)
        try encodeDecoded()
    }

    func finish(showingUntil end: Int64, until mustStop: () -> Bool) throws(DecodeError) {
        try decoder.send(nil)
        try encodeDecoded()
        try resampler.drain()
        if hasSound, samplesWritten == 0 { try resampler.pad(to: unsafe Int(encoder.context.pointee.frame_size)) }
        try encodeResampled(isLast: true)
        try encoder.sendEnd()
        try writeEncoded()
    }

    private func encodeDecoded() throws(DecodeError) {
        while let frame = try decoder.receive() {
            let start = stream.units(ofMicroseconds: range.start)
            let seconds = frame.time.map { Double($0 - start) * av_q2d(stream.timeBase) }
            // The resampler would fill the time up to a frame after the clip with silence.
            if let seconds, seconds >= Double(range.duration) / 1_000_000 { continue }
            hasSound = true
            try resampler.take(frame, at: seconds)
            try encodeResampled(isLast: false)
        }
    }

    private func encodeResampled(isLast: Bool) throws(DecodeError) {
        let frameSize = unsafe Int(encoder.context.pointee.frame_size)
        while samplesLeft > 0 {
            let wanted = min(frameSize, samplesLeft)
            let available = resampler.sampleCount
            guard available >= wanted || (isLast && available > 0) else { return }
            let frame = try resampler.next(min(wanted, available))
            unsafe frame.pointer.pointee.pts = samplesWritten
            samplesWritten += Int64(frame.sampleCount)
            samplesLeft -= frame.sampleCount
            try encoder.send(frame)
            try writeEncoded()
        }
    }

    private func writeEncoded() throws(DecodeError) {
        while let packet = try encoder.receive() {
            try muxer.write(packet, to: output, timeBase: encoder.timeBase)
        }
    }
}
