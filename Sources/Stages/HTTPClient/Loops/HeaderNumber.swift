import CCurl

/// A reader for numbers in an origin's header fields.
package enum HeaderNumber {
    /// The size of the largest source, in bytes: a tebibyte. Larger claims never enter arithmetic.
    package static let largestSize = 1 << 40
    /// The longest time that a field can ask for, in seconds: 68 years (RFC 9111, section 1.2.2).
    package static let longestTime = 2_147_483_648

    /// Reads a decimal number without a sign, at most `limit`. Returns `nil` if the text is anything else.
    package static func parse(_ text: some StringProtocol, limit: Int) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return min(Int(text) ?? .max, limit)
    }
}

/// A reader for dates in an origin's header fields (RFC 9110, section 5.6.7).
package enum HeaderDate {
    /// Returns the seconds since 1970; `nil` if the text is not a date.
    package static func seconds(_ text: String) -> Int? {
        let seconds = unsafe curl_getdate(text, nil)
        // A time beyond the year 9999 is not a date.
        return (0..<253_402_300_800).contains(seconds) ? seconds : nil
    }
}
