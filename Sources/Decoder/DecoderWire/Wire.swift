/// One packet between the worker, the zygote, and a decoder process.
package protocol WireMessage: Sendable, Equatable {
    var packet: [UInt8] { get }
    init(packet: [UInt8]) throws(WireError)
}

/// The limits of all packets.
package enum Wire {
    /// The largest size of a message, in bytes. A longer packet is not a message.
    package static let packetLimit = 4096
}

/// The reason why a packet is not a valid message. Its sender is broken or hostile.
package enum WireError: Error, Sendable, Equatable {
    /// The packet ends inside a value.
    case truncated
    /// The packet continues after its message.
    case trailingBytes
    /// The number is not a message or a case of the enumeration.
    case unknownCase(UInt8)
    /// A number, flag, or text is outside its valid range.
    case invalidValue
}

// MARK: - Writing

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

// MARK: - Reading

/// A reader of one message's values. It checks every length, number, flag, and case.
struct WireReader {
    /// The largest size of a text, in bytes.
    static let textLimit = 120

    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func byte() throws(WireError) -> UInt8 {
        guard offset < bytes.count else { throw .truncated }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func flag() throws(WireError) -> Bool {
        switch try byte() {
        case 0: false
        case 1: true
        default: throw .invalidValue
        }
    }

    /// Reads a count or measure, which is never negative.
    mutating func count() throws(WireError) -> Int {
        var pattern: UInt = 0
        for shift in stride(from: 0, to: UInt.bitWidth, by: 8) { pattern |= UInt(try byte()) << UInt(shift) }
        guard let count = Int(exactly: pattern) else { throw .invalidValue }
        return count
    }

    mutating func optionalCount() throws(WireError) -> Int? { try flag() ? count() : nil }

    /// Reads a fraction or a time, which is finite and never negative.
    mutating func measure() throws(WireError) -> Double {
        let measure = Double(bitPattern: UInt64(try count()))
        guard measure.isFinite else { throw .invalidValue }
        return measure
    }

    mutating func `case`<Case: CaseIterable>(of type: Case.Type) throws(WireError) -> Case {
        let index = try byte()
        let cases = Array(Case.allCases)
        guard index < cases.count else { throw .unknownCase(index) }
        return cases[Int(index)]
    }

    /// Reads a line of printable ASCII.
    mutating func text() throws(WireError) -> String {
        let count = Int(try byte())
        guard count <= Self.textLimit else { throw .invalidValue }
        var characters: [UInt8] = []
        for _ in 0..<count {
            let character = try byte()
            guard (0x20..<0x7F).contains(character) else { throw .invalidValue }
            characters.append(character)
        }
        return String(decoding: characters, as: UTF8.self)
    }

    /// Reads bytes, and their number before them.
    mutating func data() throws(WireError) -> [UInt8] {
        let count = Int(try byte()) << 8 | Int(try byte())
        guard bytes.count - offset >= count else { throw .truncated }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    func end() throws(WireError) {
        guard offset == bytes.count else { throw .trailingBytes }
    }
}
