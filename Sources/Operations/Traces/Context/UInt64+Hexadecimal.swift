extension UInt64 {
    /// Creates the number that `digits` writes in lower-case hexadecimal. Refuses signs and upper case, which the
    /// standard library would take.
    init?(digits: some StringProtocol) {
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) else { return nil }
        self.init(digits, radix: 16)
    }

    var bigEndianBytes: [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> UInt64($0)) }
    }
}
