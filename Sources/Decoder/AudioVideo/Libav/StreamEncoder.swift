import CLibav
import DecoderWire
import Media

/// An encoder of one stream's frames.
@safe
struct StreamEncoder: ~Copyable {
    let context: UnsafeMutablePointer<AVCodecContext>

    private init(adopting context: UnsafeMutablePointer<AVCodecContext>) { unsafe self.context = context }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&context)
    }

    /// Opens libav's encoder `name` with `options`. `configure` sets the properties that every encoder has.
    static func open(
        _ name: String,
        options: KeyValuePairs<String, String>,
        _ configure: (inout AVCodecContext) -> Void,
    ) throws(DecodeError) -> StreamEncoder {
        guard let codec = unsafe avcodec_find_encoder_by_name(name) else {
            throw DecodeError(.decoderUnavailable, "this libavcodec has no \(name)")
        }
        let context = try unsafe allocated("avcodec_alloc_context3", avcodec_alloc_context3(codec))
        let encoder = unsafe StreamEncoder(adopting: context)
        unsafe configure(&context.pointee)
        unsafe context.pointee.flags |= AV_CODEC_FLAG_BITEXACT | AV_CODEC_FLAG_GLOBAL_HEADER
        var dictionary: OpaquePointer?
        defer { unsafe av_dict_free(&dictionary) }
        for (key, value) in options { unsafe av_dict_set(&dictionary, key, value, 0) }
        try unsafe check("avcodec_open2", avcodec_open2(context, codec, &dictionary))
        return encoder
    }

    var timeBase: AVRational { unsafe context.pointee.time_base }

    /// Sends a frame, with its time in `timeBase`.
    func send(_ frame: borrowing Frame) throws(DecodeError) {
        try unsafe check("avcodec_send_frame", avcodec_send_frame(context, frame.pointer))
    }

    func sendEnd() throws(DecodeError) {
        try unsafe check("avcodec_send_frame", avcodec_send_frame(context, nil))
    }

    /// Returns the next packet; `nil` if the encoder needs more frames first.
    func receive() throws(DecodeError) -> Packet? {
        let packet = try Packet.make()
        let code = unsafe avcodec_receive_packet(context, packet.pointer)
        if code == LibavResult.wantsMore || code == LibavResult.end { return nil }
        try check("avcodec_receive_packet", code)
        return packet
    }

    /// Copies the encoder's parameters to a stream of the output file.
    func describe(to output: UnsafeMutablePointer<AVStream>) throws(DecodeError) {
        try unsafe check(
            "avcodec_parameters_from_context",
            avcodec_parameters_from_context(output.pointee.codecpar, context)
        )
        unsafe output.pointee.time_base = context.pointee.time_base
    }
}
