import Media

/// The containers in which clips are delivered.
enum Container: CaseIterable {
    case mp4, m4a, wav

    var format: OutputFormat {
        switch self {
        case .mp4: .mp4
        case .m4a: .m4a
        case .wav: .wav
        }
    }

    /// The name of the muxer in libav. `ipod` is MP4 with Apple's brand for sound.
    var muxerName: String {
        switch self {
        case .mp4: "mp4"
        case .m4a: "ipod"
        case .wav: "wav"
        }
    }

    var isMovie: Bool { self == .mp4 || self == .m4a }
}
