/// A reader for numbers in an origin's header fields.
enum HeaderNumber {
    /// The size of the largest source, in bytes: a tebibyte. Larger claims never enter arithmetic.
    static let largestSize = 1 << 40
    /// The longest time that a field can ask for, in seconds: 68 years (RFC 9111, section 1.2.2).
    static let longestTime = 2_147_483_648

    /// Reads a decimal number without a sign, at most `limit`. Returns `nil` if the text is anything else.
    static func parse(_ text: some StringProtocol, limit: Int) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return min(Int(text) ?? .max, limit)
    }
}
