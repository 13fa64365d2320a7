import Digests

/// The identifier of a span within its trace: 8 bytes, not all zero (W3C Trace Context, section 3.2.2.4).
package struct SpanID: Sendable, Hashable, CustomStringConvertible {
    package let value: UInt64

    package init?(_ value: UInt64) {
        guard value != 0 else { return nil }
        self.value = value
    }

    /// Creates the identifier that `text` writes as 16 lower-case hexadecimal digits.
    init?(_ text: some StringProtocol) {
        guard text.utf8.count == 16, let value = UInt64(digits: text) else { return nil }
        self.init(value)
    }

    static var random: SpanID {
        var random = SystemRandomNumberGenerator()
        while true {
            if let id = SpanID(random.next()) { return id }
        }
    }

    package var bytes: [UInt8] { value.bigEndianBytes }
    package var description: String { Hexadecimal.text(bytes) }
}
