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
