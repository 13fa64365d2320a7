/// A codec that attachd decodes, in whatever container it comes.
package enum MediaCodec: String, Sendable, Hashable, CaseIterable {
    case h264, hevc, vp8, vp9, av1, mpeg4, h263, mpeg1video, mpeg2video, mjpeg, msmpeg4
    case aac, mp3, mp2, opus, vorbis, flac, alac, ac3, eac3, amrnb, amrwb, adpcm, pcm
}

extension MediaFormat {
    /// The codec of every file of this format, if there is only one. A HEIC or AVIF file may have further ones.
    package var ownCodec: MediaCodec? {
        switch self {
        case .heic: .hevc
        case .avif: .av1
        case .mp3: .mp3
        case .aac: .aac
        case .flac: .flac
        default: nil
        }
    }
}
