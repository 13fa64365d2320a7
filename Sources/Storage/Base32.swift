/// Names for files: 128 random bits in lowercase base 32 (RFC 4648 alphabet), 26 characters, safe in paths and URLs.
enum RandomName {
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
    private static let length = 26

    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return String((0..<length).map { _ in alphabet[Int(generator.next() & 31)] })
    }

    static func isOurs(_ name: String) -> Bool {
        name.count == length && name.allSatisfy(alphabet.contains)
    }
}
