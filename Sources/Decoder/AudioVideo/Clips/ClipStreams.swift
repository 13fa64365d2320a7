import CLibav
import DecoderWire
import Media

/// The streams of a source that a clip is made of: those that a player would choose.
struct ClipStreams {
    let video: MediaStream?
    let audio: MediaStream?

    init(_ streams: [MediaStream]) {
        video = Self.best(streams.filter { $0.kind == .video && $0.hasSize })
        audio = Self.best(streams.filter { $0.kind == .audio })
    }

    /// The streams, video first: the clip begins with its key frame.
    var all: [MediaStream] { [video, audio].compactMap(\.self) }

    /// Returns the stream to play: one that the author marked as default, else the largest, else the first.
    private static func best(_ streams: [MediaStream]) -> MediaStream? {
        let chosen = streams.filter(\.isDefault)
        return (chosen.isEmpty ? streams : chosen).reduce(nil) { best, stream in
            guard let best, stream.storedSize.pixels <= best.storedSize.pixels else { return stream }
            return best
        }
    }
}

extension MediaStream {
    /// Returns `true` if the coded data can be delivered as it is, in an MP4 that follows `rules`.
    func isCopyable(under rules: VideoRules) -> Bool {
        let parameters = unsafe self.parameters.pointee
        let profiles = [
            FF_PROFILE_H264_BASELINE, FF_PROFILE_H264_CONSTRAINED_BASELINE, FF_PROFILE_H264_MAIN, FF_PROFILE_H264_HIGH,
        ]
        let formats = [AV_PIX_FMT_YUV420P.rawValue, AV_PIX_FMT_YUVJ420P.rawValue]
        let fields = [AV_FIELD_UNKNOWN, AV_FIELD_PROGRESSIVE]
        // Level 4.2 allows 1080p at 60 frames a second.
        return unsafe codec == AV_CODEC_ID_H264 && profiles.contains(parameters.profile) && parameters.level <= 42
            && formats.contains(parameters.format) && fields.contains(parameters.field_order) && frameRate <= 61
            && displaySize.longEdge <= rules.longEdge && storedSize == storedSize.even && displaySize.width > 1
            && displaySize.height > 1 && !orientation.isMirrored
    }

    /// A Boolean value that indicates whether the stream has uncompressed samples, which can be delivered as they are, as a WAV.
    ///
    /// Coded sound is never copied. AAC and MP3 have room for others' bytes in each frame (fill elements, data streams, ancillary
    /// data, and all that follows the last code), which only a decoder finds.
    var isUncompressed: Bool {
        let parameters = unsafe self.parameters.pointee
        return unsafe codec == AV_CODEC_ID_PCM_S16LE && sampleByteCount != nil && parameters.ch_layout.nb_channels <= 2
            && parameters.sample_rate <= 48_000
    }
}
