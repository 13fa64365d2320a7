/// Bytes as text: two lower-case digits for each byte.
package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef")

    package static func text(_ bytes: [UInt8]) -> String {
        String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    /// Returns the bytes that `text` stands for, or `nil` if it is not hexadecimal.
    package static func bytes(of text: String) -> [UInt8]? {
        let digits = text.utf8.map { UInt8(String(UnicodeScalar($0)), radix: 16) }
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { (digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0) }
    }
}
