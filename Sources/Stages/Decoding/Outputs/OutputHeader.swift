import Media

/// The size of a picture in a delivered format, read from its first bytes by code that does not trust them.
struct OutputHeader: Equatable {
    var format: OutputFormat
    /// The width in pixels.
    var width: Int
    var height: Int

    /// Reads the size, or returns `nil` if the bytes are not a whole JPEG, PNG, GIF or WebP from the first byte to the last.
    init?(_ bytes: Span<UInt8>) {
        switch OutputFormat(of: bytes) {
        case .jpeg: self.init(jpeg: bytes)
        case .png: self.init(png: bytes)
        case .gif: self.init(gif: bytes)
        case .webp: self.init(webP: bytes)
        case .mp4, .m4a, .mp3, .wav, nil: return nil
        }
    }

    /// The most segments before the frame header of a JPEG: some tables, and a colour profile in at most 255 parts.
    private static let segmentLimit = 1000

    /// Reads a JPEG by ITU-T T.81, annex B: segments with a length each, up to the frame header, which has the size.
    private init?(jpeg bytes: Span<UInt8>) {
        guard bytes.ends(with: [0xFF, 0xD9]) else { return nil }
        var offset = 2
        for _ in 0..<Self.segmentLimit {
            guard let marker = bytes.bigEndian(at: offset, byteCount: 2),
                let length = bytes.bigEndian(at: offset + 2, byteCount: 2)
            else { return nil }
            guard marker >= 0xFFC0, marker != 0xFFDA, length >= 2 else { return nil }
            // C4, C8 and CC are tables whose markers lie among those of the frame headers.
            if (0xFFC0...0xFFCF).contains(marker), ![0xFFC4, 0xFFC8, 0xFFCC].contains(marker) {
                guard let height = bytes.bigEndian(at: offset + 5, byteCount: 2),
                    let width = bytes.bigEndian(at: offset + 7, byteCount: 2)
                else { return nil }
                (self.format, self.width, self.height) = (.jpeg, width, height)
                return
            }
            offset += 2 + length
        }
        return nil
    }

    /// Reads a PNG by W3C PNG, 11.2.1: the first chunk has the size; the last is IEND, which is always the same.
    private init?(png bytes: Span<UInt8>) {
        let end: [UInt8] = [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]
        guard bytes.ends(with: end), bytes.bigEndian(at: 12, byteCount: 4) == 0x4948_4452,
            let width = bytes.bigEndian(at: 16, byteCount: 4), let height = bytes.bigEndian(at: 20, byteCount: 4)
        else { return nil }
        (self.format, self.width, self.height) = (.png, width, height)
    }

    /// Reads a GIF by GIF89a, section 18: the logical screen's size, little-endian. A semicolon is the trailer.
    private init?(gif bytes: Span<UInt8>) {
        guard bytes.count > 13, bytes.ends(with: [0x3B]) else { return nil }
        let width = Int(bytes[6]) | Int(bytes[7]) << 8
        let height = Int(bytes[8]) | Int(bytes[9]) << 8
        (self.format, self.width, self.height) = (.gif, width, height)
    }

    /// Reads a WebP with lossy coding by RFC 9649, section 2: one key frame (RFC 6386, 9.1), after a canvas of the same
    /// size and the alpha if the picture is transparent. Other chunks, such as metadata, are refused.
    private init?(webP bytes: Span<UInt8>) {
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
            guard let next = bytes.bigEndian(at: offset, byteCount: 4) else { return nil }
            chunk = next
        }
        guard chunk == lossy, let length = bytes.littleEndian(at: offset + 4, byteCount: 4),
            offset + 8 + length + length % 2 == bytes.count, let tag = bytes.littleEndian(at: offset + 8, byteCount: 1),
            tag & 1 == 0,
            bytes.bigEndian(at: offset + 11, byteCount: 3) == 0x9D012A,
            let width = bytes.littleEndian(at: offset + 14, byteCount: 2),
            let height = bytes.littleEndian(at: offset + 16, byteCount: 2)
        else { return nil }
        // The two upper bits of a side scale the picture up, which nothing does.
        guard width < 0x4000, height < 0x4000, canvas.map({ $0 == (width, height) }) ?? true else { return nil }
        (self.format, self.width, self.height) = (.webp, width, height)
    }
}

extension Span<UInt8> {
    fileprivate func ends(with end: [UInt8]) -> Bool {
        count >= end.count && end.indices.allSatisfy { self[count - end.count + $0] == end[$0] }
    }
}
