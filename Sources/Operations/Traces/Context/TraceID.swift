import Digests

/// The identifier of a trace: 16 bytes, not all zero (W3C Trace Context, section 3.2.2.3).
package struct TraceID: Sendable, Hashable, CustomStringConvertible {
    package let high: UInt64
    package let low: UInt64

    package init?(high: UInt64, low: UInt64) {
        guard high | low != 0 else { return nil }
        self.high = high
        self.low = low
    }

    /// Creates the identifier that `text` writes as 32 lower-case hexadecimal digits.
    init?(_ text: some StringProtocol) {
        guard text.utf8.count == 32, let high = UInt64(digits: text.prefix(16)),
            let low = UInt64(digits: text.suffix(16))
        else { return nil }
        self.init(high: high, low: low)
    }

    static var random: TraceID {
        var random = SystemRandomNumberGenerator()
        while true {
            if let id = TraceID(high: random.next(), low: random.next()) { return id }
        }
    }

    package var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }
    package var description: String { Hexadecimal.text(bytes) }
}
