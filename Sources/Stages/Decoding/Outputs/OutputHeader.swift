import Media

/// The size of a picture in a delivered format, read from its first bytes by code that does not trust them.
struct OutputHeader: Equatable {
    var format: OutputFormat
    /// The width in pixels.
    var width: Int
    var height: Int

    /// Reads the size, or returns `nil` if the bytes are not a whole JPEG, PNG or GIF from the first byte to the last.
    init?(_ bytes: Span<UInt8>) {
        switch OutputFormat(of: bytes) {
        case .jpeg: self.init(jpeg: bytes)
        case .png: self.init(png: bytes)
        case .gif: self.init(gif: bytes)
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
            guard let marker = bytes.number(at: offset, byteCount: 2),
                let length = bytes.number(at: offset + 2, byteCount: 2)
            else { return nil }
            guard marker >= 0xFFC0, marker != 0xFFDA, length >= 2 else { return nil }
            // C4, C8 and CC are tables whose markers lie among those of the frame headers.
            if (0xFFC0...0xFFCF).contains(marker), ![0xFFC4, 0xFFC8, 0xFFCC].contains(marker) {
                guard let height = bytes.number(at: offset + 5, byteCount: 2),
                    let width = bytes.number(at: offset + 7, byteCount: 2)
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
        guard bytes.ends(with: end), bytes.number(at: 12, byteCount: 4) == 0x4948_4452,
            let width = bytes.number(at: 16, byteCount: 4), let height = bytes.number(at: 20, byteCount: 4)
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
}

extension Span<UInt8> {
    /// Returns a big-endian number, or `nil` if its bytes are missing.
    fileprivate func number(at offset: Int, byteCount: Int) -> Int? {
        guard offset <= count - byteCount else { return nil }
        return (0..<byteCount).reduce(0) { $0 << 8 | Int(self[offset + $1]) }
    }

    fileprivate func ends(with end: [UInt8]) -> Bool {
        count >= end.count && end.indices.allSatisfy { self[count - end.count + $0] == end[$0] }
    }
}
