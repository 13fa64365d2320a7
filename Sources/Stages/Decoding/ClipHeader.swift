import Media
import Values

/// What a finished clip is, read from its bytes by code that trusts none of them.
struct ClipHeader: Equatable {
    var format: MediaFormat
    /// In pixels, after the track's matrix is applied; `nil` for sound.
    var width: Int?
    var height: Int?
    /// How long all of it is shown or heard, where the format says so.
    var durationMilliseconds: Int?

    /// `nil` for what is no whole MP4, M4A, MP3 or WAV that begins with its index.
    init?(_ bytes: Span<UInt8>) {
        switch MediaSniffer.format(of: bytes) {
        case .mp4: self.init(movie: bytes, .mp4)
        case .m4a: self.init(movie: bytes, .m4a)
        case .wav: self.init(wave: bytes)
        case .mp3: self.init(format: .mp3)
        default: return nil
        }
    }

    private init(format: MediaFormat) { self.format = format }

    /// ISO/IEC 14496-12: `ftyp`, then `moov` with one track of video at most, then the data, and no more bytes than
    /// their boxes say.
    private init?(movie bytes: Span<UInt8>, _ format: MediaFormat) {
        var reader = BoxReader()
        guard let top = reader.boxes(of: bytes, in: 0..<bytes.count), top.first?.type == "ftyp",
            let index = top.firstIndex(where: { $0.type == "moov" }),
            let data = top.firstIndex(where: { $0.type == "mdat" }), index < data,
            let movie = reader.boxes(of: bytes, in: top[index].content),
            let header = movie.first(where: { $0.type == "mvhd" }),
            let duration = Self.duration(bytes, header.content)
        else { return nil }
        self.init(format: format)
        durationMilliseconds = duration
        for track in movie where track.type == "trak" {
            guard let parts = reader.boxes(of: bytes, in: track.content),
                let header = parts.first(where: { $0.type == "tkhd" }),
                let size = Self.size(bytes, header.content)
            else { return nil }
            guard size.width > 0 || size.height > 0 else { continue }
            guard width == nil, format == .mp4 else { return nil }
            (width, height) = size
        }
        guard format == .m4a || width != nil else { return nil }
    }

    /// RIFF: the length of the whole, and what it holds.
    private init?(wave bytes: Span<UInt8>) {
        guard let length = bytes.littleEndian(at: 4), length + 8 == bytes.count else { return nil }
        self.init(format: .wav)
    }

    /// Of the movie's header.
    private static func duration(_ bytes: Span<UInt8>, _ header: Range<Int>) -> Int? {
        guard header.count >= 32 else { return nil }
        let isLong = bytes[header.lowerBound] == 1
        let units = bytes.bigEndian(at: header.lowerBound + (isLong ? 20 : 12), byteCount: 4)
        let duration = bytes.bigEndian(at: header.lowerBound + (isLong ? 24 : 16), byteCount: isLong ? 8 : 4)
        guard let units, units > 0, let duration, let scaled = SafeSize.product(duration, 1000) else { return nil }
        return scaled / units
    }

    /// Of a track's header: the size in fixed point, and the matrix, of which quarter turns matter.
    private static func size(_ bytes: Span<UInt8>, _ header: Range<Int>) -> (width: Int, height: Int)? {
        guard let version = header.isEmpty ? nil : bytes[header.lowerBound] else { return nil }
        let matrix = header.lowerBound + (version == 1 ? 52 : 40)
        guard matrix + 44 <= header.upperBound, let a = bytes.bigEndian(at: matrix, byteCount: 4),
            let width = bytes.bigEndian(at: matrix + 36, byteCount: 4),
            let height = bytes.bigEndian(at: matrix + 40, byteCount: 4)
        else { return nil }
        return a == 0 ? (height >> 16, width >> 16) : (width >> 16, height >> 16)
    }
}

/// One box of an ISO base media file.
private struct Box {
    var type: String
    var content: Range<Int>
}

/// Reads boxes, up to a number that no clip of ours comes near: a file of empty boxes has millions.
private struct BoxReader {
    private var left = 1000

    /// The boxes that fill `range` exactly; `nil` where they don't, or where there are too many.
    mutating func boxes(of bytes: Span<UInt8>, in range: Range<Int>) -> [Box]? {
        var boxes: [Box] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard left > 0, offset + 8 <= range.upperBound, let short = bytes.bigEndian(at: offset, byteCount: 4)
            else { return nil }
            left -= 1
            let isLarge = short == 1
            guard let size = isLarge ? bytes.bigEndian(at: offset + 8, byteCount: 8) : short else { return nil }
            let header = isLarge ? 16 : 8
            guard size >= header, size <= range.upperBound - offset else { return nil }
            let type = String(decoding: (4..<8).map { bytes[offset + $0] }, as: UTF8.self)
            boxes.append(Box(type: type, content: offset + header..<offset + size))
            offset += size
        }
        return boxes
    }
}

extension Span<UInt8> {
    /// A number, if its bytes are there and it has a place in an `Int`.
    fileprivate func bigEndian(at offset: Int, byteCount: Int) -> Int? {
        guard offset >= 0, offset <= count - byteCount else { return nil }
        return Int(exactly: (0..<byteCount).reduce(UInt64(0)) { $0 << 8 | UInt64(self[offset + $1]) })
    }

    fileprivate func littleEndian(at offset: Int) -> Int? {
        guard offset <= count - 4 else { return nil }
        return (0..<4).reduce(0) { $0 | Int(self[offset + $1]) << (8 * $1) }
    }
}
