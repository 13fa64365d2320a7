import DecoderWire
import Media
import Values

/// The number of pages or frames of a file, counted from its container alone.
///
/// A loader looks up each page before it decodes the first, in a time that grows with the square of their number. It
/// takes about a second for 20,000 frames of WebP or 60,000 pages of TIFF, which fit into a few megabytes.
struct PageCount {
    /// The most pages or frames: more than anybody shows, and counted within a tenth of a second.
    private static let limit = 4096

    let source: any SourceBytes

    /// Throws if the file has too many pages or frames. Checks only formats whose loaders have no such limit.
    func check(_ format: MediaFormat) throws(DecodeError) {
        let isWithinLimit =
            switch format {
            case .webp: isWebPWithinLimit()
            case .tiff: isTIFFWithinLimit()
            default: true
            }
        guard isWithinLimit else { throw DecodeError(.tooManyPixels, "more than \(Self.limit) pages or frames") }
    }

    /// Counts frames. RIFF has chunks after 12 bytes: a type, a length, and the content, padded to an even number of
    /// bytes.
    private func isWebPWithinLimit() -> Bool {
        var offset = 12
        for _ in 0...Self.limit {
            guard let length = number(at: offset + 4, byteCount: 4, isBigEndian: false),
                let end = SafeSize.sum(offset, 8, length, length % 2)
            else { return true }
            offset = end
        }
        return false
    }

    /// Counts pages. In TIFF 6.0, section 2, a directory is a count, that number of 12-byte fields, and the next one's
    /// offset.
    private func isTIFFWithinLimit() -> Bool {
        let isBigEndian = number(at: 0, byteCount: 1, isBigEndian: true) == 0x4D
        var link = 4
        for _ in 0...Self.limit {
            guard let directory = number(at: link, byteCount: 4, isBigEndian: isBigEndian), directory != 0,
                let fields = number(at: directory, byteCount: 2, isBigEndian: isBigEndian)
            else { return true }
            link = directory + 2 + 12 * fields
        }
        return false
    }

    /// Returns the number at `offset`; `nil` beyond the last byte.
    private func number(at offset: Int, byteCount: Int, isBigEndian: Bool) -> Int? {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe source.readFully(at: offset, into: $0) }
        guard count == byteCount else { return nil }
        return (isBigEndian ? bytes : bytes.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }
}
