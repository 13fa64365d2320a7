import CLibav
import DecoderWire
import Media

/// A decoder of one stream's packets.
@safe
struct StreamDecoder: ~Copyable {
    let stream: MediaStream
    private let context: UnsafeMutablePointer<AVCodecContext>
    private let alpha: AlphaDecoder?

    private init(
        adopting context: UnsafeMutablePointer<AVCodecContext>,
        stream: MediaStream,
        alpha: AlphaDecoder?,
    ) {
        unsafe self.context = context
        self.stream = stream
        self.alpha = alpha
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&context)
    }

    /// Opens a decoder. `isSlow` means that all of a clip will be decoded, so that starting threads pays. `isStrict`
    /// means that the decoder hides no damage, and `isAlpha` that it decodes the stream's transparency. Throws if the codec is one of `disabled`.
    static func open(
        _ stream: MediaStream,
        limits: MediaLimits,
        isSlow: Bool,
        isStrict: Bool = false,
        isAlpha: Bool = false,
        without disabled: DisabledFormats,
    ) throws(DecodeError) -> StreamDecoder {
        guard !CodecAllowList.refuses(stream.codec, disabled) else { throw DecodeError.disabled("the codec") }
        guard let name = CodecAllowList.decoderName(for: stream.codec),
            let codec = unsafe avcodec_find_decoder_by_name(name)
        else { throw DecodeError(.unsupportedFormat, "the codec is not on the list") }
        let context = try unsafe allocated("avcodec_alloc_context3", avcodec_alloc_context3(codec))
        let alpha: AlphaDecoder? =
            if !isAlpha, stream.hasAlpha {
                AlphaDecoder(try open(stream, limits: limits, isSlow: false, isAlpha: true, without: disabled))
            } else {
                nil
            }
        let decoder = unsafe StreamDecoder(adopting: context, stream: stream, alpha: alpha)
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
        if let packet { alpha?.take(packet) }
        let code = unsafe avcodec_send_packet(context, packet?.pointer)
        guard code == clibav_error_from_errno(ENOMEM) else { return }
        try check("avcodec_send_packet", code)
    }

    /// Leaves out the pictures that no other needs, and the smoothing of edges: half of the time, and of the movement.
    func hurry() {
        unsafe context.pointee.skip_frame = AVDISCARD_NONREF
        unsafe context.pointee.skip_loop_filter = AVDISCARD_ALL
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
        guard !frame.isDolbyVisionOnly else { throw DecodeError.dolbyVision }
        guard let alpha else { return frame }
        return try alpha.composed(frame)
    }
}

// MARK: - Allowed codecs

/// The codecs that are decoded. The source decides which bytes reach a decoder, so this list is short on purpose: libav
/// has about 490 decoders, and vulnerabilities are found in them regularly.
enum CodecAllowList {
    /// The names of the decoders, for libav's own check.
    static let decoderNames = all.map(\.name)

    private typealias Entry = (id: AVCodecID, name: String, codec: MediaCodec)

    private static let all = video + audio

    private static let video: [Entry] = [
        (AV_CODEC_ID_H264, "h264", .h264), (AV_CODEC_ID_HEVC, "hevc", .hevc), (AV_CODEC_ID_VP8, "vp8", .vp8),
        (AV_CODEC_ID_VP9, "vp9", .vp9),
        (AV_CODEC_ID_AV1, "libdav1d", .av1), (AV_CODEC_ID_MPEG4, "mpeg4", .mpeg4), (AV_CODEC_ID_H263, "h263", .h263),
        (AV_CODEC_ID_MPEG1VIDEO, "mpeg1video", .mpeg1video), (AV_CODEC_ID_MPEG2VIDEO, "mpeg2video", .mpeg2video),
        (AV_CODEC_ID_MJPEG, "mjpeg", .mjpeg),
        // The codecs of AVI files of the DivX years. libav decodes them with the code of H.263 and MPEG-4.
        (AV_CODEC_ID_MSMPEG4V2, "msmpeg4v2", .msmpeg4), (AV_CODEC_ID_MSMPEG4V3, "msmpeg4", .msmpeg4),
    ]

    private static let audio: [Entry] = [
        (AV_CODEC_ID_AAC, "aac", .aac), (AV_CODEC_ID_AAC_LATM, "aac_latm", .aac), (AV_CODEC_ID_MP3, "mp3float", .mp3),
        (AV_CODEC_ID_MP2, "mp2float", .mp2),
        (AV_CODEC_ID_OPUS, "opus", .opus), (AV_CODEC_ID_VORBIS, "vorbis", .vorbis), (AV_CODEC_ID_FLAC, "flac", .flac),
        (AV_CODEC_ID_ALAC, "alac", .alac), (AV_CODEC_ID_AC3, "ac3", .ac3), (AV_CODEC_ID_EAC3, "eac3", .eac3),
        (AV_CODEC_ID_AMR_NB, "amrnb", .amrnb), (AV_CODEC_ID_AMR_WB, "amrwb", .amrwb),
        (AV_CODEC_ID_ADPCM_MS, "adpcm_ms", .adpcm), (AV_CODEC_ID_ADPCM_IMA_WAV, "adpcm_ima_wav", .adpcm),
        (AV_CODEC_ID_ADPCM_IMA_QT, "adpcm_ima_qt", .adpcm),
        // DVDs: samples of 16 to 24 bits, with a header in each packet.
        (AV_CODEC_ID_PCM_DVD, "pcm_dvd", .pcm),
        (AV_CODEC_ID_PCM_U8, "pcm_u8", .pcm), (AV_CODEC_ID_PCM_S8, "pcm_s8", .pcm),
        (AV_CODEC_ID_PCM_S16LE, "pcm_s16le", .pcm), (AV_CODEC_ID_PCM_S16BE, "pcm_s16be", .pcm),
        (AV_CODEC_ID_PCM_S24LE, "pcm_s24le", .pcm), (AV_CODEC_ID_PCM_S24BE, "pcm_s24be", .pcm),
        (AV_CODEC_ID_PCM_S32LE, "pcm_s32le", .pcm), (AV_CODEC_ID_PCM_S32BE, "pcm_s32be", .pcm),
        (AV_CODEC_ID_PCM_F32LE, "pcm_f32le", .pcm), (AV_CODEC_ID_PCM_F32BE, "pcm_f32be", .pcm),
        (AV_CODEC_ID_PCM_F64LE, "pcm_f64le", .pcm), (AV_CODEC_ID_PCM_F64BE, "pcm_f64be", .pcm),
        (AV_CODEC_ID_PCM_ALAW, "pcm_alaw", .pcm), (AV_CODEC_ID_PCM_MULAW, "pcm_mulaw", .pcm),
    ]

    static func decoderName(for codec: AVCodecID) -> String? {
        all.first { $0.id == codec }?.name
    }

    /// Returns whether the codec is switched off. One that is not on the list is never decoded anyway.
    static func refuses(_ codec: AVCodecID, _ disabled: DisabledFormats) -> Bool {
        all.first { $0.id == codec }.map { disabled.refuses($0.codec) } ?? false
    }

    /// Returns the names of the decoders whose codecs are not switched off, for libav's own check.
    ///
    /// libav takes an empty list for none at all, so a list without decoders has a name that no decoder has.
    static func commaSeparated(without disabled: DisabledFormats) -> String {
        let names = all.filter { !disabled.refuses($0.codec) }.map(\.name)
        return names.isEmpty ? "-" : names.joined(separator: ",")
    }
}
