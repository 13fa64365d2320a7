/// 128 bits as 26 characters of lowercase base 32 (RFC 4648 alphabet, no padding): safe in paths and URLs.
package enum Base32 {
    package static let length = 26
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// Returns 26 random characters that cannot be guessed.
    package static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return encode((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
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
