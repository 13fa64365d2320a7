import Media

/// The containers that clips are delivered in.
enum Container: CaseIterable {
    case mp4, m4a, mp3, wav

    var format: MediaFormat {
        switch self {
        case .mp4: .mp4
        case .m4a: .m4a
        case .mp3: .mp3
        case .wav: .wav
        }
    }

    /// libav's name for it. `ipod` is MP4 of Apple's brand for sound.
    var muxerName: String {
        switch self {
        case .mp4: "mp4"
        case .m4a: "ipod"
        case .mp3: "mp3"
        case .wav: "wav"
        }
    }

    var isMovie: Bool { self == .mp4 || self == .m4a }
}
