import HTTPClient

/// The range that a partial answer declares: `bytes 0-99/1234` (RFC 9110, section 14.4).
struct ContentRange: Equatable {
    var range: Range<Int>
    /// The size of the source in bytes, at most `HeaderNumber.largestSize`, or `nil` if the origin does not state it.
    var size: Int?

    /// Reads the header, or returns `nil` if it is not a range, or if the range lies beyond its source.
    init?(_ header: String) {
        let words = header.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
            first <= last, last < HeaderNumber.largestSize
        else { return nil }
        if parts[1] != "*" {
            guard let size = Self.number(parts[1]), last < size || size == HeaderNumber.largestSize else { return nil }
            self.size = size
        }
        range = first..<last + 1
    }

    private static func number(_ text: Substring) -> Int? {
        HeaderNumber.parse(text, limit: HeaderNumber.largestSize)
    }
}
