import Media

/// The facts about a finished output, read by code that does not trust its bytes and goes through all of them.
struct OutputHeader: Equatable {
    let format: OutputFormat
    /// The width in pixels, after a video's matrix is applied; `nil` for sound.
    let width: Int?
    let height: Int?
    /// The duration of a whole clip, if the format states it.
    let durationMilliseconds: Int?
    /// The tracks of a clip, measured by their samples.
    let tracks: [Track]

    struct Track: Equatable {
        var isVideo: Bool
        var samples: Int
        var milliseconds: Int
    }

    /// Reads the facts, or returns `nil` if the bytes are not a whole file of a format in which attachments are delivered, from
    /// the first byte to the last, or have anything else between. A movie begins with its index.
    init?(_ bytes: Span<UInt8>) {
        guard let format = OutputFormat(of: bytes) else { return nil }
        switch format {
        case .jpeg: self.init(format, JPEGWalk(bytes).map { ($0.width, $0.height) })
        case .png: self.init(format, PNGWalk(bytes).map { ($0.width, $0.height) })
        case .gif: self.init(format, GIFWalk(bytes).map { ($0.width, $0.height) })
        case .webp: self.init(webP: bytes)
        case .mp4, .m4a: self.init(format, MovieWalk(bytes))
        case .wav: self.init(wave: bytes)
        }
    }

    /// Returns whether the output has pixels, and at most `longEdge` of them on its longer side.
    func fits(_ longEdge: Int) -> Bool {
        guard let width, let height, width > 0, height > 0 else { return false }
        return max(width, height) <= longEdge
    }

    private init(
        _ format: OutputFormat,
        width: Int? = nil,
        height: Int? = nil,
        durationMilliseconds: Int? = nil,
        tracks: [Track] = [],
    ) {
        self.format = format
        self.width = width
        self.height = height
        self.durationMilliseconds = durationMilliseconds
        self.tracks = tracks
    }

    private init?(_ format: OutputFormat, _ size: (width: Int, height: Int)?) {
        guard let size else { return nil }
        self.init(format, width: size.width, height: size.height)
    }

    private init?(_ format: OutputFormat, _ movie: MovieWalk?) {
        // A movie has a picture, and sound alone has none.
        guard let movie, (movie.size != nil) == (format.kind == .video) else { return nil }
        self.init(
            format,
            width: movie.size?.width,
            height: movie.size?.height,
            durationMilliseconds: movie.durationMilliseconds,
            tracks: movie.tracks,
        )
    }
}

// MARK: - Formats without a walk of their own

extension OutputHeader {
    /// Reads a WebP with lossy coding by RFC 9649, section 2: one key frame (RFC 6386, 9.1), after a canvas of the same
    /// size and the alpha if the picture is transparent. Other chunks, such as metadata, are refused.
    fileprivate init?(webP bytes: Span<UInt8>) {
        let (riff, extended, alpha, lossy) = (0x5249_4646, 0x5650_3858, 0x414C_5048, 0x5650_3820)
        guard bytes.bigEndian(at: 0, byteCount: 4) == riff, bytes.littleEndian(at: 4, byteCount: 4) == bytes.count - 8,
            var chunk = bytes.bigEndian(at: 12, byteCount: 4)
        else { return nil }
        var offset = 12
        var canvas: (width: Int, height: Int)?
        if chunk == extended {
            // Of the flags, only that of alpha is allowed. Sizes are stored less one.
            guard bytes.littleEndian(at: 16, byteCount: 8) == 0x10_0000_000A,
                let width = bytes.littleEndian(at: 24, byteCount: 3),
                let height = bytes.littleEndian(at: 27, byteCount: 3), bytes.bigEndian(at: 30, byteCount: 4) == alpha,
                let length = bytes.littleEndian(at: 34, byteCount: 4)
            else { return nil }
            canvas = (width + 1, height + 1)
            offset = 38 + length + length % 2
            guard length % 2 == 0 || bytes.littleEndian(at: offset - 1, byteCount: 1) == 0,
                let next = bytes.bigEndian(at: offset, byteCount: 4)
            else { return nil }
            chunk = next
        }
        guard chunk == lossy, let length = bytes.littleEndian(at: offset + 4, byteCount: 4),
            offset + 8 + length + length % 2 == bytes.count, length % 2 == 0 || bytes[bytes.count - 1] == 0,
            let tag = bytes.littleEndian(at: offset + 8, byteCount: 1),
            tag & 1 == 0,
            bytes.bigEndian(at: offset + 11, byteCount: 3) == 0x9D012A,
            let width = bytes.littleEndian(at: offset + 14, byteCount: 2),
            let height = bytes.littleEndian(at: offset + 16, byteCount: 2)
        else { return nil }
        // The two upper bits of a side scale the picture up, which nothing does.
        guard width < 0x4000, height < 0x4000, canvas.map({ $0 == (width, height) }) ?? true else { return nil }
        self.init(.webp, width: width, height: height)
    }

    /// Reads a RIFF file: the length of the whole, the form of uncompressed samples, and the samples up to the end.
    fileprivate init?(wave bytes: Span<UInt8>) {
        let (form, samples) = (0x666D_7420, 0x6461_7461)
        guard let length = bytes.littleEndian(at: 4, byteCount: 4), length + 8 == bytes.count,
            bytes.bigEndian(at: 12, byteCount: 4) == form, bytes.littleEndian(at: 16, byteCount: 4) == 16,
            bytes.littleEndian(at: 20, byteCount: 2) == 1, let channels = bytes.littleEndian(at: 22, byteCount: 2),
            1...2 ~= channels, let rate = bytes.littleEndian(at: 24, byteCount: 4),
            bytes.littleEndian(at: 28, byteCount: 4) == rate * channels * 2,
            bytes.littleEndian(at: 32, byteCount: 2) == channels * 2, bytes.littleEndian(at: 34, byteCount: 2) == 16,
            bytes.bigEndian(at: 36, byteCount: 4) == samples,
            let count = bytes.littleEndian(at: 40, byteCount: 4), count % 2 == 0, 44 + count == bytes.count, rate > 0
        else { return nil }
        let frames = count / (channels * 2)
        self.init(.wav, tracks: [Track(isVideo: false, samples: frames, milliseconds: frames * 1000 / rate)])
    }
}
