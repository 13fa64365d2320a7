import CLibav
import Media

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
        (AV_CODEC_ID_AAC, "aac", .aac), (AV_CODEC_ID_MP3, "mp3float", .mp3), (AV_CODEC_ID_MP2, "mp2float", .mp2),
        (AV_CODEC_ID_OPUS, "opus", .opus), (AV_CODEC_ID_VORBIS, "vorbis", .vorbis), (AV_CODEC_ID_FLAC, "flac", .flac),
        (AV_CODEC_ID_ALAC, "alac", .alac), (AV_CODEC_ID_AC3, "ac3", .ac3), (AV_CODEC_ID_EAC3, "eac3", .eac3),
        (AV_CODEC_ID_AMR_NB, "amrnb", .amrnb), (AV_CODEC_ID_AMR_WB, "amrwb", .amrwb),
        (AV_CODEC_ID_ADPCM_MS, "adpcm_ms", .adpcm), (AV_CODEC_ID_ADPCM_IMA_WAV, "adpcm_ima_wav", .adpcm),
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
