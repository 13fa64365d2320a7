/// Bytes as text, two digits in lower case for each.
enum Hexadecimal {
    private static let digits = Array("0123456789abcdef")

    static func text(_ bytes: [UInt8]) -> String {
        String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
