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
