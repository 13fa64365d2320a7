import Media
import Values

/// The facts about a finished clip, read from its bytes by code that does not trust them.
struct ClipHeader: Equatable {
    var format: OutputFormat
    /// The width in pixels, after the track's matrix is applied; `nil` for sound.
    var width: Int?
    var height: Int?
    /// The duration of the whole clip, if the format states it.
    var durationMilliseconds: Int?

    /// Reads the facts, or returns `nil` if the bytes are not a whole MP4, M4A, MP3 or WAV that begins with its index.
    init?(_ bytes: Span<UInt8>) {
        switch OutputFormat(of: bytes) {
        case .mp4: self.init(movie: bytes, .mp4)
        case .m4a: self.init(movie: bytes, .m4a)
        case .wav: self.init(wave: bytes)
        case .mp3: self.init(format: .mp3)
        case .jpeg, .png, .gif, .webp, nil: return nil
        }
    }

    private init(format: OutputFormat) { self.format = format }

    /// Reads a file by ISO/IEC 14496-12: `ftyp`, then `moov` with at most one track of video, then the data, and no
    /// more bytes than the boxes declare.
    private init?(movie bytes: Span<UInt8>, _ format: OutputFormat) {
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

    /// Reads a RIFF file: the length of the whole, and its chunks.
    private init?(wave bytes: Span<UInt8>) {
        guard let length = bytes.littleEndian(at: 4, byteCount: 4), length + 8 == bytes.count else { return nil }
        self.init(format: .wav)
    }

    /// Returns the duration in a movie's header.
    private static func duration(_ bytes: Span<UInt8>, _ header: Range<Int>) -> Int? {
        guard header.count >= 32 else { return nil }
        let isLong = bytes[header.lowerBound] == 1
        let units = bytes.bigEndian(at: header.lowerBound + (isLong ? 20 : 12), byteCount: 4)
        let duration = bytes.bigEndian(at: header.lowerBound + (isLong ? 24 : 16), byteCount: isLong ? 8 : 4)
        guard let units, units > 0, let duration, let scaled = SafeSize.product(duration, 1000) else { return nil }
        return scaled / units
    }

    /// Reads a track's header: the displayed size, with 16 fractional bits, and the matrix, of which only quarter turns
    /// matter (ISO/IEC 14496-12, 8.3.2).
    private static func size(_ bytes: Span<UInt8>, _ header: Range<Int>) -> (width: Int, height: Int)? {
        guard let version = header.isEmpty ? nil : bytes[header.lowerBound] else { return nil }
        let matrix = header.lowerBound + (version == 1 ? 52 : 40)
        guard matrix + 44 <= header.upperBound, let a = bytes.bigEndian(at: matrix, byteCount: 4),
            let width = bytes.bigEndian(at: matrix + 36, byteCount: 4),
            let height = bytes.bigEndian(at: matrix + 40, byteCount: 4)
        else { return nil }
        // Pixels that are not square make it broken numbers: 426.67 pixels are shown as 427.
        let size = (width: (width + 0x8000) >> 16, height: (height + 0x8000) >> 16)
        return a == 0 ? (size.height, size.width) : size
    }
}

/// One box of an ISO base media file.
private struct Box {
    var type: String
    var content: Range<Int>
}

/// A reader of boxes, up to a number that attachd's own clips never reach: a file of empty boxes has millions.
private struct BoxReader {
    private var left = 1000

    /// Returns the boxes that fill `range` exactly, or `nil` if they don't, or if there are too many.
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
