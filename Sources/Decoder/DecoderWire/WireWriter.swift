/// A writer of one message's values, one after the other, without names or padding.
///
/// Both programs are built together, so the format has no versions. A case is written as its index in `allCases`, and a
/// number as eight bytes, little-endian.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    mutating func put(_ byte: UInt8) { bytes.append(byte) }

    mutating func put(_ flag: Bool) { put(flag ? 1 : 0 as UInt8) }

    mutating func put(_ number: Int) {
        for shift in stride(from: 0, to: Int.bitWidth, by: 8) { put(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    mutating func put(_ number: Int?) {
        put(number != nil)
        if let number { put(number) }
    }

    /// Writes a measure, which is never negative.
    mutating func put(_ measure: Double) { put(Int(truncatingIfNeeded: measure.magnitude.bitPattern)) }

    mutating func put<Case: CaseIterable & Equatable>(case value: Case) {
        for (index, other) in Case.allCases.enumerated() where other == value { put(UInt8(truncatingIfNeeded: index)) }
    }

    /// Writes at most 65,535 bytes, and their number before them.
    mutating func put(_ data: [UInt8]) {
        put(UInt8(truncatingIfNeeded: data.count >> 8))
        put(UInt8(truncatingIfNeeded: data.count))
        bytes.append(contentsOf: data.prefix(65_535))
    }

    /// Writes the first `WireReader.textLimit` bytes of `text`.
    mutating func put(_ text: String) {
        let utf8 = text.utf8.prefix(WireReader.textLimit)
        put(UInt8(truncatingIfNeeded: utf8.count))
        bytes.append(contentsOf: utf8)
    }
}
