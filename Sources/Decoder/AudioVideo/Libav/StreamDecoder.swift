import CLibav
import DecoderWire
import Media

/// A decoder of one stream's packets.
@safe
struct StreamDecoder: ~Copyable {
    let stream: MediaStream
    private let context: UnsafeMutablePointer<AVCodecContext>

    private init(adopting context: UnsafeMutablePointer<AVCodecContext>, stream: MediaStream) {
        unsafe self.context = context
        self.stream = stream
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&context)
    }

    /// Opens a decoder. `isSlow` means that all of a clip will be decoded, so that starting threads pays. `isStrict`
    /// means that the decoder hides no damage. Throws if the codec is one of `disabled`.
    static func open(
        _ stream: MediaStream,
        limits: MediaLimits,
        isSlow: Bool,
        isStrict: Bool = false,
        without disabled: DisabledFormats,
    ) throws(DecodeError) -> StreamDecoder {
        guard !CodecAllowList.refuses(stream.codec, disabled) else { throw DecodeError.disabled("the codec") }
        guard let name = CodecAllowList.decoderName(for: stream.codec),
            let codec = unsafe avcodec_find_decoder_by_name(name)
        else { throw DecodeError(.unsupportedFormat, "the codec is not on the list") }
        let context = try unsafe allocated("avcodec_alloc_context3", avcodec_alloc_context3(codec))
        let decoder = unsafe StreamDecoder(adopting: context, stream: stream)
        try unsafe check(
            "avcodec_parameters_to_context",
            avcodec_parameters_to_context(context, stream.parameters)
        )
        unsafe context.pointee.pkt_timebase = stream.timeBase
        unsafe context.pointee.max_pixels = Int64(limits.framePixels)
        unsafe context.pointee.max_samples = 1 << 20
        unsafe context.pointee.thread_count = isSlow && stream.kind == .video ? Libav.threadCount : 1
        if isStrict {
            unsafe context.pointee.err_recognition |= AV_EF_EXPLODE
            unsafe context.pointee.flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL
        }
        var options: OpaquePointer?
        defer { unsafe av_dict_free(&options) }
        unsafe av_dict_set(&options, "codec_whitelist", CodecAllowList.commaSeparated(without: disabled), 0)
        try unsafe check("avcodec_open2", avcodec_open2(context, codec, &options))
        return decoder
    }

    /// Sends a packet; `nil` after the last one. Skips damaged packets and decodes the others.
    func send(_ packet: Packet?) throws(DecodeError) {
        let code = unsafe avcodec_send_packet(context, packet?.pointer)
        guard code == clibav_error_from_errno(ENOMEM) else { return }
        try check("avcodec_send_packet", code)
    }

    /// Returns `true` if `packet` completes a frame without damage. No packet follows the last one.
    func decodes(_ packet: Packet, isLast: Bool) throws(DecodeError) -> Bool {
        guard unsafe avcodec_send_packet(context, packet.pointer) >= 0 else { return false }
        if isLast { try send(nil) }
        guard let frame = try receive() else { return false }
        return frame.isIntact
    }

    /// Returns the next frame; `nil` if the decoder needs more packets first.
    func receive() throws(DecodeError) -> Frame? {
        let frame = try Frame.make()
        let code = unsafe avcodec_receive_frame(context, frame.pointer)
        if code == clibav_error_from_errno(ENOMEM) { try check("avcodec_receive_frame", code) }
        guard code >= 0 else { return nil }
        return frame
    }
}
