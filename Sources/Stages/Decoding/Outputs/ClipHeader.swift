import Media

/// The facts about a finished clip, read by code that does not trust its bytes and goes through all of them.
struct ClipHeader: Equatable {
    var format: OutputFormat
    /// The width in pixels, after the track's matrix is applied; `nil` for sound.
    var width: Int?
    var height: Int?
    /// The duration of the whole clip, if the format states it.
    var durationMilliseconds: Int?

    /// Reads the facts, or returns `nil` if the bytes are not a whole MP4, M4A or WAV that begins with its index, or have
    /// anything else between.
    init?(_ bytes: Span<UInt8>) {
        switch OutputFormat(of: bytes) {
        case .mp4: self.init(MovieWalk(bytes), .mp4)
        case .m4a: self.init(MovieWalk(bytes), .m4a)
        case .wav: self.init(wave: bytes)
        case .jpeg, .png, .gif, .webp, nil: return nil
        }
    }

    private init?(_ movie: MovieWalk?, _ format: OutputFormat) {
        guard let movie, (movie.size != nil) == (format == .mp4) else { return nil }
        self.format = format
        (width, height) = (movie.size?.width, movie.size?.height)
        durationMilliseconds = movie.durationMilliseconds
    }

    /// Reads a RIFF file: the length of the whole, the form of uncompressed samples, and the samples up to the end.
    private init?(wave bytes: Span<UInt8>) {
        let (form, samples) = (0x666D_7420, 0x6461_7461)
        guard let length = bytes.littleEndian(at: 4, byteCount: 4), length + 8 == bytes.count,
            bytes.bigEndian(at: 12, byteCount: 4) == form, bytes.littleEndian(at: 16, byteCount: 4) == 16,
            bytes.littleEndian(at: 20, byteCount: 2) == 1, let channels = bytes.littleEndian(at: 22, byteCount: 2),
            1...2 ~= channels, let rate = bytes.littleEndian(at: 24, byteCount: 4),
            bytes.littleEndian(at: 28, byteCount: 4) == rate * channels * 2,
            bytes.littleEndian(at: 32, byteCount: 2) == channels * 2, bytes.littleEndian(at: 34, byteCount: 2) == 16,
            bytes.bigEndian(at: 36, byteCount: 4) == samples,
            let count = bytes.littleEndian(at: 40, byteCount: 4), count % 2 == 0, 44 + count == bytes.count
        else { return nil }
        format = .wav
    }
}
