import DecoderWire
import Media
import Values

/// How many pages or frames a file has, told from its container alone.
///
/// A loader looks each one up before the first is decoded, in a time that grows with the square of their number: 20,000
/// frames of WebP or 60,000 pages of TIFF, which fit into a few megabytes, take it a second.
struct PageCount {
    /// More than anybody shows, and found within a tenth of a second.
    private static let limit = 4096

    let source: any SourceBytes

    /// Refuses a file that has too many. Only formats whose loaders have no such limit of their own are looked at.
    func check(_ format: MediaFormat) throws(DecodeFailure) {
        let isWithinLimit =
            switch format {
            case .webp: isWebPWithinLimit()
            case .tiff: isTIFFWithinLimit()
            default: true
            }
        guard isWithinLimit else { throw DecodeFailure(.tooManyPixels, "more than \(Self.limit) pages or frames") }
    }

    /// RIFF: after 12 bytes come chunks of a type, a length and so many bytes, filled up to an even number.
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

    /// TIFF 6.0, section 2: each directory is a count, so many fields of 12 bytes, and the offset of the next.
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

    /// `nil` beyond the last byte.
    private func number(at offset: Int, byteCount: Int, isBigEndian: Bool) -> Int? {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe source.read(at: offset, into: $0) }
        guard count == byteCount else { return nil }
        return (isBigEndian ? bytes : bytes.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }
}
