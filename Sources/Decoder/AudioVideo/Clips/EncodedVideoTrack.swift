import Base
import CLibav
import DecoderWire
import Media

/// A video track that is decoded, scaled, turned upright, and encoded as H.264.
final class EncodedVideoTrack: ClipTrack {
    /// The unit of time: 90,000 a second divides evenly into the frames of every common frame rate.
    private static let timeBase = AVRational(num: 1, den: 90_000)
    private static let highestFrameRate = 30.0
    /// The shortest time between two frames; a frame that comes earlier is dropped. It is a little less than the
    /// highest frame rate needs, so that uneven 30 frames a second lose none, and 50 and 60 lose every second one.
    private var shortestInterval = Int64(clamping: 90_000 / (highestFrameRate * 1.2))
    private static let usualFrameRate = 25.0
    /// The longest time by which pictures are decoded before they are shown, in units of `timeBase`: half a second.
    private static let longestReordering: Int64 = 45_000
    /// The shortest time between two pictures that is a gap, in microseconds.
    private static let shortestGap: Int64 = 300_000
    /// The rate factor of x264 that gives a good picture. Higher is worse, and six more halve the size.
    static let goodRateFactor = 23.0

    private let stream: MediaStream
    private let range: ClipRange
    private let muxer: Muxer
    private let decoder: StreamDecoder
    private let encoder: StreamEncoder
    private let filter: UnitFilter
    private let fitter: PictureFitter
    private let output: Int
    /// The shortest duration of the last frame.
    private let frameDuration: Int64
    /// The last packet so far. Its duration is known at the end.
    private var last: Packet?
    /// The frame that is shown at the start of the clip until the next one is due.
    private var waiting: Frame?
    private var lastTime: Int64?
    private let isMPEG: Bool
    /// The duration of the source's frames, in units of the stream.
    private let sourceDuration: Int64
    /// The time at which a frame without one follows: an MPEG program stream gives only the first frame of a packet a time.
    private var nextTime: Int64?
    /// The size of the coded data so far.
    private(set) var byteCount = 0

    /// A Boolean value that indicates whether the track ends with the pictures that are there.
    var isShortened = false
    private(set) var isHurried = false

    var source: Int { stream.index }

    /// The time up to which all pictures are there so far, in microseconds: those that are decoded later are shown later.
    private(set) var duration: Int64 = 0

    /// The time of the last picture that the encoder has, in microseconds. It holds back the last few.
    var progress: Int64 { av_rescale_q(lastTime ?? 0, Self.timeBase, AVRational(num: 1, den: AV_TIME_BASE)) }

    /// Makes the rest of the track with about half of its pictures.
    func hurry() {
        guard !isHurried else { return }
        isHurried = true
        shortestInterval *= 2
        decoder.hurry()
    }

    /// Creates the track. `size` is that of its upright pictures, and `first` that of the clip's first one in the source.
    init(
        _ stream: MediaStream,
        size: PixelSize,
        like first: PixelSize,
        bitRate: Int64,
        rateFactor: Double = goodRateFactor,
        range: ClipRange,
        limits: MediaLimits,
        without disabled: DisabledFormats,
        muxer: Muxer,
    ) throws(DecodeError) {
        self.stream = stream
        self.range = range
        self.muxer = muxer
        decoder = try StreamDecoder.open(stream, limits: limits, isSlow: true, without: disabled)
        let stored = stream.orientation.isTransposed ? size.transposed : size
        fitter = PictureFitter(to: stored, like: first)
        isMPEG = [AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO].contains(stream.codec)
        let sourceRate = stream.frameRate > 0 ? stream.frameRate : Self.usualFrameRate
        sourceDuration = max(1, stream.units(ofMicroseconds: Int64(clamping: 1_000_000 / sourceRate)))
        let rate = min(sourceRate, Self.highestFrameRate)
        let colors = ColorDescription(of: stream, like: first).scaled
        frameDuration = Int64(clamping: 90_000 / rate)
        let options: KeyValuePairs = ["preset": "veryfast", "crf": "\(rateFactor)"]
        encoder = try unsafe StreamEncoder.open("libx264", options: options) { context in
            unsafe context.width = Int32(size.width)
            unsafe context.height = Int32(size.height)
            unsafe context.pix_fmt = AV_PIX_FMT_YUV420P
            unsafe context.time_base = Self.timeBase
            unsafe context.framerate = av_d2q(rate, 90_000)
            unsafe context.sample_aspect_ratio = AVRational(num: 1, den: 1)
            unsafe context.colorspace = colors.matrix
            unsafe context.color_primaries = colors.primaries
            unsafe context.color_trc = colors.transfer
            unsafe context.color_range = AVCOL_RANGE_MPEG
            unsafe context.rc_max_rate = bitRate
            unsafe context.rc_buffer_size = Int32(clamping: bitRate)
            unsafe context.thread_count = Libav.threadCount
        }
        let made = try unsafe allocated("avcodec_parameters_alloc", avcodec_parameters_alloc())
        defer {
            var parameters: UnsafeMutablePointer<AVCodecParameters>? = unsafe made
            unsafe avcodec_parameters_free(&parameters)
        }
        try unsafe check("avcodec_parameters_from_context", avcodec_parameters_from_context(made, encoder.context))
        let filter = try unsafe UnitFilter(made)
        self.filter = filter
        output = try unsafe muxer.addStream { (output) throws(DecodeError) in
            try unsafe check(
                "avcodec_parameters_copy",
                avcodec_parameters_copy(output.pointee.codecpar, filter.parameters)
            )
            unsafe output.pointee.time_base = Self.timeBase
        }
    }

    func take(_ packet: Packet) throws(DecodeError) {
        try decoder.send(packet)
        try encodeDecoded()
    }

    func finish(showingUntil shownEnd: Int64, until mustStop: () -> Bool) throws(DecodeError) {
        // Both codecs hold back some frames until the end, which take time.
        func isOver() -> Bool { isShortened || mustStop() }
        if !isOver() {
            try decoder.send(nil)
            try encodeDecoded(until: isOver)
            try encodeWaiting()
            guard lastTime != nil else { throw DecodeError(.corrupt, "no frame could be decoded") }
        }
        if !isOver() {
            try encoder.sendEnd()
            try writeEncoded(until: isOver)
        }
        guard !mustStop(), let last else { return }
        guard !isShortened else { return try muxer.write(last, to: output, timeBase: Self.timeBase) }
        let microsecond = AVRational(num: 1, den: AV_TIME_BASE)
        // The last packet has the last picture, or an earlier one that is decoded after it.
        // Packets without times of display make it seem to be shown until the one before.
        let known = av_rescale_q(shownEnd, microsecond, Self.timeBase)
        let held = min(end, max(known, min((lastTime ?? 0) + frameDuration, known + Self.longestReordering)))
        duration = av_rescale_q(held, Self.timeBase, microsecond)
        last.duration = max(last.duration, held - (last.decodingTime ?? last.presentationTime ?? 0))
        try muxer.write(last, to: output, timeBase: Self.timeBase)
    }

    private func encodeDecoded(until mustStop: () -> Bool = { false }) throws(DecodeError) {
        let start = stream.units(ofMicroseconds: range.start)
        while !mustStop(), let frame = try decoder.receive() {
            // The only picture of an AVI has no time.
            let isFirst = lastTime == nil && waiting == nil
            guard let shown = time(of: frame) ?? (isFirst ? start : nil) else { continue }
            // Both numbers are the source's, and can be any.
            let (fields, isTooLong) = sourceDuration.multipliedReportingOverflow(by: frame.fieldCount)
            let (next, overflows) = shown.addingReportingOverflow(fields / 2)
            nextTime = isTooLong || overflows ? nil : next
            let time = av_rescale_q(
                shown - start,
                stream.timeBase,
                Self.timeBase
            )
            try take(frame, at: time)
        }
    }

    /// Returns the time of display of the next frame, in units of the stream.
    ///
    /// MPEG video gives it for some pictures only. libav guesses the others, and may go back; but it finds a gap.
    private func time(of frame: borrowing Frame) -> Int64? {
        guard isMPEG, frame.statedTime == nil, let nextTime, let guess = frame.time else {
            return frame.time ?? nextTime
        }
        return guess.addingClamped(-nextTime) > stream.units(ofMicroseconds: Self.shortestGap) ? guess : nextTime
    }

    private func take(_ frame: consuming Frame, at time: Int64) throws(DecodeError) {
        guard time < end else { return }
        if time <= 0 {
            waiting = consume frame
            return
        }
        // A frame due right after the start replaces the one before.
        if time < shortestInterval { waiting = nil }
        try encodeWaiting()
        // A video that begins a little after its sound is shown from the start.
        try encode(frame, at: lastTime == nil ? 0 : time)
    }

    private var end: Int64 {
        av_rescale_q(range.duration, AVRational(num: 1, den: AV_TIME_BASE), Self.timeBase)
    }

    private func encodeWaiting() throws(DecodeError) {
        guard let frame = waiting.take() else { return }
        try encode(frame, at: 0)
    }

    private func encode(_ frame: borrowing Frame, at time: Int64) throws(DecodeError) {
        if let lastTime, time - lastTime < shortestInterval { return }
        let picture = try fitter.fitted(frame).upright(from: stream.orientation)
        unsafe picture.pointer.pointee.pts = time
        lastTime = time
        try encoder.send(picture)
        try writeEncoded()
    }

    private func writeEncoded(until mustStop: () -> Bool = { false }) throws(DecodeError) {
        while !mustStop(), let packet = try encoder.receive() {
            packet.duration = max(1, min(frameDuration, end - (packet.presentationTime ?? 0)))
            guard let filtered = try filter.filtered(packet) else { continue }
            byteCount += filtered.byteCount
            if let last { try muxer.write(last, to: output, timeBase: Self.timeBase) }
            let time = max(0, filtered.decodingTime ?? 0)
            duration = av_rescale_q(time, Self.timeBase, AVRational(num: 1, den: AV_TIME_BASE))
            last = filtered
        }
    }
}
