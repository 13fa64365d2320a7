import Media

/// The size of a picture in a delivered format, read by code that does not trust its bytes and goes through all of them.
struct OutputHeader: Equatable {
    var format: OutputFormat
    /// The width in pixels.
    var width: Int
    var height: Int

    /// Reads the size, or returns `nil` if the bytes are not a whole JPEG, PNG, GIF or WebP from the first byte to the last, or
    /// have anything else between.
    init?(_ bytes: Span<UInt8>) {
        switch OutputFormat(of: bytes) {
        case .jpeg: self.init(JPEGWalk(bytes).map { (.jpeg, $0.width, $0.height) })
        case .png: self.init(PNGWalk(bytes).map { (.png, $0.width, $0.height) })
        case .gif: self.init(GIFWalk(bytes).map { (.gif, $0.width, $0.height) })
        case .webp: self.init(webP: bytes)
        case .mp4, .m4a, .wav, nil: return nil
        }
    }

    private init?(_ found: (OutputFormat, Int, Int)?) {
        guard let found else { return nil }
        (format, width, height) = found
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
        (self.format, self.width, self.height) = (.webp, width, height)
    }
}
