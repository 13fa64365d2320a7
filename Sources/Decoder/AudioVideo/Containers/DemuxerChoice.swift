import DecoderWire
import Media

/// The libav demuxer for a source, chosen from the detected format, so that libav never probes.
struct DemuxerChoice {
    let name: String

    static let allNames = [
        "mov", "matroska", "avi", "mpeg", "mpegvideo", "mpegts", "mp3", "aac", "wav", "aiff", "flac", "ogg",
    ]

    /// Chooses a demuxer. `start` is the first four bytes of the source: MPEG video also comes without a container.
    init?(_ format: MediaFormat, start: [UInt8]) {
        switch format {
        case .mp4, .m4v, .quickTime, .threeGPP, .m4a: name = "mov"
        case .webm, .matroska: name = "matroska"
        case .avi: name = "avi"
        case .mpegProgramStream: name = start == [0, 0, 1, 0xB3] ? "mpegvideo" : "mpeg"
        case .mpegTransportStream: name = "mpegts"
        case .mp3: name = "mp3"
        case .aac: name = "aac"
        case .wav: name = "wav"
        case .aiff: name = "aiff"
        case .flac: name = "flac"
        case .ogg: name = "ogg"
        case .jpeg, .png, .gif, .webp, .heic, .avif, .tiff: return nil
        }
    }
}
