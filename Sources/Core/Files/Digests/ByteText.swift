/// Bytes as text: two lower-case digits for each byte.
package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef")

    package static func text(_ bytes: [UInt8]) -> String {
        String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    /// Returns the bytes that `text` represents, or `nil` if it is not hexadecimal.
    package static func bytes(of text: String) -> [UInt8]? {
        let digits = text.utf8.map { UInt8(String(UnicodeScalar($0)), radix: 16) }
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { (digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0) }
    }
}

/// 128 bits as 26 characters of lowercase base 32 (RFC 4648 alphabet, no padding): safe in paths and URLs.
package enum Base32 {
    package static let length = 26
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// Returns 26 random characters that cannot be guessed.
    package static func random() -> String {
        // The kernel is asked for each number, so there are two.
        let numbers = [UInt64.random(in: 0...(.max)), .random(in: 0...(.max))]
        return encode(numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } })
    }

    /// Encodes the first bits of each byte first and fills the last character with zeros.
    package static func encode(_ bytes: [UInt8]) -> String {
        var (characters, bits, bitCount) = ([UInt8](), 0, 0)
        for byte in bytes + [0] where characters.count < length {
            (bits, bitCount) = (bits << 8 | Int(byte), bitCount + 8)
            while bitCount >= 5, characters.count < length {
                bitCount -= 5
                characters.append(alphabet[bits >> bitCount & 31])
            }
            bits &= 1 << bitCount - 1
        }
        return String(decoding: characters, as: UTF8.self)
    }

    package static func isOurs(_ name: some StringProtocol) -> Bool {
        name.utf8.count == length && name.utf8.allSatisfy(alphabet.contains)
    }
}

/// Bytes as text that needs no escape in a URL (RFC 4648, section 5, without padding).
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    package static func encode(_ bytes: [UInt8]) -> String {
        var (characters, bits, bitCount) = ([UInt8](), 0, 0)
        for byte in bytes {
            (bits, bitCount) = (bits << 8 | Int(byte), bitCount + 8)
            while bitCount >= 6 {
                bitCount -= 6
                characters.append(alphabet[bits >> bitCount & 63])
            }
            bits &= 1 << bitCount - 1
        }
        if bitCount > 0 { characters.append(alphabet[bits << (6 - bitCount) & 63]) }
        return String(decoding: characters, as: UTF8.self)
    }
}
