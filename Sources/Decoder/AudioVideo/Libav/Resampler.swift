import Base
import CLibav
import DecoderWire
import Media

/// A converter of decoded sound into the encoder's format, with a queue that collects samples for a frame.
///
/// It also keeps the sound in time: it drops samples before zero, and fills gaps with silence.
@safe
final class Resampler {
    /// The smallest difference in seconds that libswresample corrects when it is told a time.
    private static let smallestCorrection = 0.001

    private let encoder: UnsafeMutablePointer<AVCodecContext>
    private let queue: OpaquePointer
    private var context: OpaquePointer?
    /// The number of samples returned so far.
    private var samplesMade: Int64 = 0
    private var timing = SoundTiming()
    private var inputRate: Int32 = 0
    private var inputFormat: Int32 = -1
    private var inputLayout = unsafe AVChannelLayout()

    /// Creates a resampler for `encoder`, which must outlive this object.
    init(to encoder: UnsafeMutablePointer<AVCodecContext>) throws(DecodeError) {
        unsafe self.encoder = encoder
        unsafe context = nil
        let channels = unsafe encoder.pointee.ch_layout.nb_channels
        guard let queue = unsafe av_audio_fifo_alloc(encoder.pointee.sample_fmt, channels, 1) else {
            throw DecodeError(.resourceLimit, "av_audio_fifo_alloc")
        }
        unsafe self.queue = queue
    }

    deinit {
        unsafe swr_free(&context)
        unsafe av_channel_layout_uninit(&inputLayout)
        unsafe av_audio_fifo_free(queue)
    }

    /// The number of samples that are ready.
    var sampleCount: Int { unsafe Int(av_audio_fifo_size(queue)) }

    /// Takes decoded sound. Its first sample is heard at `seconds`, if known.
    func take(_ frame: borrowing Frame, at seconds: Double?) throws(DecodeError) {
        if unsafe frame.pointer.pointee.ch_layout.order == AV_CHANNEL_ORDER_UNSPEC {
            let count = unsafe frame.pointer.pointee.ch_layout.nb_channels
            unsafe av_channel_layout_default(&frame.pointer.pointee.ch_layout, count)
        }
        if unsafe context != nil, !hasForm(of: frame) {
            try drain()
            unsafe swr_free(&context)
            // The new context does not know how much the old one still had to drop or to fill, so the time counts anew.
            timing = SoundTiming()
        }
        if unsafe context == nil { try start(with: frame) }
        let duration = Double(frame.sampleCount) / Double(max(1, inputRate))
        if timing.moves(at: seconds, lasting: duration), let seconds {
            // libswresample counts in fractions of a sample of both rates.
            let unit = unsafe Double(inputRate) * Double(encoder.pointee.sample_rate)
            _ = unsafe swr_next_pts(context, Int64(clamping: seconds * unit))
        }
        try unsafe convert(frame.sampleCount) { (output) throws(DecodeError) in
            try unsafe check("swr_convert_frame", swr_convert_frame(context, output, frame.pointer))
        }
    }

    /// Flushes the samples that the filter holds back.
    func drain() throws(DecodeError) {
        guard unsafe context != nil else { return }
        try unsafe convert(0) { (output) throws(DecodeError) in
            try unsafe check("swr_convert_frame", swr_convert_frame(context, output, nil))
        }
    }

    /// Adds silence behind the samples that are ready, up to `count`. The filter gives none for a few samples.
    func pad(to count: Int) throws(DecodeError) {
        guard sampleCount < count else { return }
        let silence = try makeFrame(count - sampleCount)
        let format = unsafe encoder.pointee.sample_fmt
        let channels = unsafe encoder.pointee.ch_layout.nb_channels
        let samples = Int32(silence.sampleCount)
        unsafe av_samples_set_silence(silence.pointer.pointee.extended_data, 0, samples, channels, format)
        try unsafe silence.withPlanes { (planes) throws(DecodeError) in
            try unsafe check("av_audio_fifo_write", av_audio_fifo_write(queue, planes, samples))
        }
    }

    /// Returns the next `count` samples, which must be ready.
    func next(_ count: Int) throws(DecodeError) -> Frame {
        let frame = try makeFrame(count)
        try unsafe frame.withPlanes { (planes) throws(DecodeError) in
            try unsafe check("av_audio_fifo_read", av_audio_fifo_read(queue, planes, Int32(count)))
        }
        return frame
    }

    /// Returns `true` if `frame` has the format of the frames before. Broadcasts change it between programs.
    private func hasForm(of frame: borrowing Frame) -> Bool {
        unsafe inputRate == frame.pointer.pointee.sample_rate && inputFormat == frame.pointer.pointee.format
            && av_channel_layout_compare(&inputLayout, &frame.pointer.pointee.ch_layout) == 0
    }

    private func start(with frame: borrowing Frame) throws(DecodeError) {
        inputRate = unsafe frame.pointer.pointee.sample_rate
        inputFormat = unsafe frame.pointer.pointee.format
        try unsafe check(
            "av_channel_layout_copy",
            av_channel_layout_copy(&inputLayout, &frame.pointer.pointee.ch_layout)
        )
        let code = unsafe swr_alloc_set_opts2(
            &context,
            &encoder.pointee.ch_layout,
            encoder.pointee.sample_fmt,
            encoder.pointee.sample_rate,
            &frame.pointer.pointee.ch_layout,
            AVSampleFormat(frame.pointer.pointee.format),
            inputRate,
            0,
            nil,
        )
        try check("swr_alloc_set_opts2", code)
        let user = unsafe UnsafeMutableRawPointer(context)
        unsafe av_opt_set_double(user, "async", 1, 0)
        unsafe av_opt_set_double(user, "min_hard_comp", Self.smallestCorrection, 0)
        // The position in samples of the input, from the start of the clip.
        let position = unsafe samplesMade * Int64(inputRate) / Int64(encoder.pointee.sample_rate)
        unsafe av_opt_set_int(user, "first_pts", position, 0)
        try unsafe check("swr_init", swr_init(context))
    }

    private func convert(
        _ inputCount: Int,
        _ body: (UnsafeMutablePointer<AVFrame>) throws(DecodeError) -> Void,
    ) throws(DecodeError) {
        let room = unsafe swr_get_out_samples(context, Int32(clamping: inputCount))
        guard room > 0 else { return }
        let output = try makeFrame(Int(room))
        try unsafe body(output.pointer)
        guard output.sampleCount > 0 else { return }
        samplesMade += Int64(output.sampleCount)
        try unsafe output.withPlanes { (planes) throws(DecodeError) in
            try unsafe check("av_audio_fifo_write", av_audio_fifo_write(queue, planes, Int32(output.sampleCount)))
        }
    }

    private func makeFrame(_ count: Int) throws(DecodeError) -> Frame {
        let frame = try Frame.make()
        unsafe frame.pointer.pointee.nb_samples = Int32(count)
        unsafe frame.pointer.pointee.format = encoder.pointee.sample_fmt.rawValue
        unsafe frame.pointer.pointee.sample_rate = encoder.pointee.sample_rate
        try unsafe check(
            "av_channel_layout_copy",
            av_channel_layout_copy(&frame.pointer.pointee.ch_layout, &encoder.pointee.ch_layout)
        )
        try unsafe check("av_frame_get_buffer", av_frame_get_buffer(frame.pointer, 0))
        return frame
    }
}

extension Frame {
    /// Calls the closure with the addresses of each channel's samples, in the form that libav needs.
    fileprivate func withPlanes(
        _ body: (UnsafeMutablePointer<UnsafeMutableRawPointer?>) throws(DecodeError) -> Void
    ) throws(DecodeError) {
        guard let planes = unsafe pointer.pointee.extended_data else { return }
        let count = unsafe Int(max(1, pointer.pointee.ch_layout.nb_channels))
        var addresses = unsafe (0..<count).map {
            unsafe UnsafeMutableRawPointer(planes[$0]) as UnsafeMutableRawPointer?
        }
        try unsafe body(&addresses)
    }
}

// MARK: - Timing

/// The decision whether sound follows its timestamps or goes on without a gap.
///
/// Timestamps jitter: containers round them to milliseconds or more, and recorders stamp what they get in bursts. Samples
/// that are dropped or filled in for that would be heard as clicks, while a small shift is not.
struct SoundTiming {
    /// The shift, in seconds, that never matters. Viewers notice sound that is 45 ms early (ITU-R BT.1359-1).
    static let tolerance = 0.04
    /// The largest shift, in seconds, that may still be jitter.
    static let largestJitter = 0.1
    /// The time, in seconds, after which a shift is not jitter any more.
    static let longestJitter = 0.25

    /// The time at which the next sample is due if the sound goes on without a gap.
    private var next: Double?
    /// The time since which the sound is off by more than the tolerance, and always to the same side.
    private var since: Double?
    private var isLate = false

    /// Takes the next piece of sound: its timestamp, if there is one, and its duration, in seconds.
    ///
    /// - Returns: `true` if the caller should move the sound to its timestamp.
    mutating func moves(at time: Double?, lasting duration: Double) -> Bool {
        guard let time else {
            next = next.map { $0 + duration }
            return false
        }
        guard let due = next, !isTooFar(time - due, at: due) else {
            next = time + duration
            since = nil
            return true
        }
        next = due + duration
        return false
    }

    private mutating func isTooFar(_ shift: Double, at due: Double) -> Bool {
        guard abs(shift) > Self.tolerance else {
            since = nil
            return false
        }
        if since == nil || isLate != (shift > 0) {
            since = due
            isLate = shift > 0
        }
        return abs(shift) > Self.largestJitter || due - (since ?? due) >= Self.longestJitter
    }
}
