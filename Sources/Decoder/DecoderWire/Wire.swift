import Base

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

// MARK: - Values

/// A value of a message. It is written and read in the same order.
protocol WireValue {
    func put(in writer: inout WireWriter)
    init(reading reader: inout WireReader) throws(WireError)
}

/// A writer of one message's values, one after the other, without names or padding.
///
/// Both programs are built together, so the format has no versions.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    mutating func put<each Value: WireValue>(_ values: repeat each Value) { repeat (each values).put(in: &self) }

    /// Writes values, and their number before them.
    mutating func put(list: some Collection<some WireValue>) {
        put(list.count)
        for value in list { put(value) }
    }

    /// Returns the packet of the message with this number and these values.
    static func packet<each Value: WireValue>(_ number: UInt8, _ values: repeat each Value) -> [UInt8] {
        var writer = WireWriter()
        writer.put(number)
        writer.put(repeat each values)
        return writer.bytes
    }
}

/// A reader of one message's values. It checks every length, number, flag, and case.
struct WireReader {
    /// The largest size of a text, in bytes.
    static let textLimit = 120

    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func read<Value: WireValue>() throws(WireError) -> Value { try Value(reading: &self) }

    /// Reads at most `limit` values, and their number before them.
    mutating func list<Value: WireValue>(upTo limit: Int) throws(WireError) -> [Value] {
        let count = try Int(reading: &self)
        guard count <= limit else { throw .invalidValue }
        var values: [Value] = []
        for _ in 0..<count { values.append(try Value(reading: &self)) }
        return values
    }

    mutating func byte() throws(WireError) -> UInt8 {
        guard offset < bytes.count else { throw .truncated }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func data(_ count: Int) throws(WireError) -> [UInt8] {
        guard bytes.count - offset >= count else { throw .truncated }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    func end() throws(WireError) {
        guard offset == bytes.count else { throw .trailingBytes }
    }
}

// MARK: - Numbers and flags

extension UInt8: WireValue {
    func put(in writer: inout WireWriter) { writer.append(CollectionOfOne(self)) }

    init(reading reader: inout WireReader) throws(WireError) { self = try reader.byte() }
}

extension Bool: WireValue {
    func put(in writer: inout WireWriter) { writer.put((self ? 1 : 0) as UInt8) }

    init(reading reader: inout WireReader) throws(WireError) {
        switch try reader.byte() {
        case 0: self = false
        case 1: self = true
        default: throw .invalidValue
        }
    }
}

/// A count or measure, which is never negative: eight bytes, little-endian.
extension Int: WireValue {
    func put(in writer: inout WireWriter) {
        for shift in stride(from: 0, to: Int.bitWidth, by: 8) { writer.put(UInt8(truncatingIfNeeded: self >> shift)) }
    }

    init(reading reader: inout WireReader) throws(WireError) {
        var pattern: UInt = 0
        for shift in stride(from: 0, to: UInt.bitWidth, by: 8) { pattern |= UInt(try reader.byte()) << UInt(shift) }
        guard let count = Int(exactly: pattern) else { throw .invalidValue }
        self = count
    }
}

/// A fraction or a time, which is finite and never negative.
extension Double: WireValue {
    func put(in writer: inout WireWriter) { writer.put(Int(truncatingIfNeeded: magnitude.bitPattern)) }

    init(reading reader: inout WireReader) throws(WireError) {
        self.init(bitPattern: UInt64(try Int(reading: &reader)))
        guard isFinite else { throw .invalidValue }
    }
}

/// A duration in whole milliseconds.
extension Duration: WireValue {
    func put(in writer: inout WireWriter) { writer.put(milliseconds) }

    init(reading reader: inout WireReader) throws(WireError) { self = .milliseconds(try Int(reading: &reader)) }
}

// MARK: - Cases, options, and sequences

/// A case, as its index in `allCases`.
extension WireValue where Self: CaseIterable & Equatable {
    func put(in writer: inout WireWriter) {
        for (index, other) in Self.allCases.enumerated() where other == self {
            writer.put(UInt8(truncatingIfNeeded: index))
        }
    }

    init(reading reader: inout WireReader) throws(WireError) {
        let index = try reader.byte()
        let cases = Array(Self.allCases)
        guard index < cases.count else { throw .unknownCase(index) }
        self = cases[Int(index)]
    }
}

/// Cases, as a flag for each of `allCases`.
extension Set: WireValue where Element: CaseIterable {
    func put(in writer: inout WireWriter) {
        for element in Element.allCases { writer.put(contains(element)) }
    }

    init(reading reader: inout WireReader) throws(WireError) {
        self.init()
        for element in Element.allCases where try Bool(reading: &reader) { insert(element) }
    }
}

extension Optional: WireValue where Wrapped: WireValue {
    func put(in writer: inout WireWriter) {
        writer.put(self != nil)
        if let value = self { writer.put(value) }
    }

    init(reading reader: inout WireReader) throws(WireError) {
        self = try Bool(reading: &reader) ? Wrapped(reading: &reader) : nil
    }
}

extension Range<Int>: WireValue {
    func put(in writer: inout WireWriter) { writer.put(lowerBound, upperBound) }

    init(reading reader: inout WireReader) throws(WireError) {
        let (start, end) = (try Int(reading: &reader), try Int(reading: &reader))
        guard start <= end else { throw .invalidValue }
        self = start..<end
    }
}

/// At most 65,535 bytes, and their number before them.
extension [UInt8]: WireValue {
    func put(in writer: inout WireWriter) {
        writer.put(UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count))
        writer.append(prefix(65_535))
    }

    init(reading reader: inout WireReader) throws(WireError) {
        let count = Int(try reader.byte()) << 8 | Int(try reader.byte())
        self = try reader.data(count)
    }
}

/// A line of printable ASCII: its first `WireReader.textLimit` bytes.
extension String: WireValue {
    func put(in writer: inout WireWriter) {
        let text = utf8.prefix(WireReader.textLimit)
        writer.put(UInt8(truncatingIfNeeded: text.count))
        writer.append(text)
    }

    init(reading reader: inout WireReader) throws(WireError) {
        let count = Int(try reader.byte())
        guard count <= WireReader.textLimit else { throw .invalidValue }
        let characters = try reader.data(count)
        guard characters.allSatisfy({ (0x20..<0x7F).contains($0) }) else { throw .invalidValue }
        self.init(decoding: characters, as: UTF8.self)
    }
}
