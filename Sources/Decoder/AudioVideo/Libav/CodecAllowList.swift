import CLibav

/// The codecs that are decoded. The source decides which bytes reach a decoder, so this list is short on purpose: libav
/// has about 490 decoders, and vulnerabilities are found in them regularly.
enum CodecAllowList {
    /// The names of the decoders, for libav's own check.
    static let decoderNames = video.map(\.name) + audio.map(\.name)
    static let commaSeparated = decoderNames.joined(separator: ",")

    private static let video: [(id: AVCodecID, name: String)] = [
        (AV_CODEC_ID_H264, "h264"), (AV_CODEC_ID_HEVC, "hevc"), (AV_CODEC_ID_VP8, "vp8"), (AV_CODEC_ID_VP9, "vp9"),
        (AV_CODEC_ID_AV1, "libdav1d"), (AV_CODEC_ID_MPEG4, "mpeg4"), (AV_CODEC_ID_H263, "h263"),
        (AV_CODEC_ID_MPEG1VIDEO, "mpeg1video"), (AV_CODEC_ID_MPEG2VIDEO, "mpeg2video"), (AV_CODEC_ID_MJPEG, "mjpeg"),
        // The codecs of AVI files of the DivX years. libav decodes them with the code of H.263 and MPEG-4.
        (AV_CODEC_ID_MSMPEG4V2, "msmpeg4v2"), (AV_CODEC_ID_MSMPEG4V3, "msmpeg4"),
    ]

    private static let audio: [(id: AVCodecID, name: String)] = [
        (AV_CODEC_ID_AAC, "aac"), (AV_CODEC_ID_MP3, "mp3float"), (AV_CODEC_ID_MP2, "mp2float"),
        (AV_CODEC_ID_OPUS, "opus"), (AV_CODEC_ID_VORBIS, "vorbis"), (AV_CODEC_ID_FLAC, "flac"),
        (AV_CODEC_ID_ALAC, "alac"), (AV_CODEC_ID_AC3, "ac3"), (AV_CODEC_ID_EAC3, "eac3"),
        (AV_CODEC_ID_AMR_NB, "amrnb"), (AV_CODEC_ID_AMR_WB, "amrwb"),
        (AV_CODEC_ID_ADPCM_MS, "adpcm_ms"), (AV_CODEC_ID_ADPCM_IMA_WAV, "adpcm_ima_wav"),
        (AV_CODEC_ID_PCM_U8, "pcm_u8"), (AV_CODEC_ID_PCM_S8, "pcm_s8"),
        (AV_CODEC_ID_PCM_S16LE, "pcm_s16le"), (AV_CODEC_ID_PCM_S16BE, "pcm_s16be"),
        (AV_CODEC_ID_PCM_S24LE, "pcm_s24le"), (AV_CODEC_ID_PCM_S24BE, "pcm_s24be"),
        (AV_CODEC_ID_PCM_S32LE, "pcm_s32le"), (AV_CODEC_ID_PCM_S32BE, "pcm_s32be"),
        (AV_CODEC_ID_PCM_F32LE, "pcm_f32le"), (AV_CODEC_ID_PCM_F32BE, "pcm_f32be"),
        (AV_CODEC_ID_PCM_F64LE, "pcm_f64le"), (AV_CODEC_ID_PCM_F64BE, "pcm_f64be"),
        (AV_CODEC_ID_PCM_ALAW, "pcm_alaw"), (AV_CODEC_ID_PCM_MULAW, "pcm_mulaw"),
    ]

    static func decoderName(for codec: AVCodecID) -> String? {
        (video + audio).first { $0.id == codec }?.name
    }
}
