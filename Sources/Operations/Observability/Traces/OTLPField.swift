import Base
import Files
import Payloads

/// A field of an OTLP message, with its number for protobuf and its name for JSON. So the two encodings cannot tell
/// different things.
struct OTLPField {
    enum Value {
        case text(String)
        /// Bytes in protobuf, hexadecimal in JSON (OTLP, "JSON Protobuf Encoding").
        case identifier([UInt8])
        /// `fixed64`: nanoseconds since 1970.
        case time(UnixTime)
        /// `fixed32`.
        case flags(UInt32)
        /// `int64`.
        case integer(Int64)
        /// `uint32`, or the number of a case of an `enum`.
        case count(UInt32)
        case message([OTLPField])
        case list([[OTLPField]])
    }

    var number: Int
    var name: String
    var value: Value

    init(_ number: Int, _ name: String, _ value: Value) {
        self.number = number
        self.name = name
        self.value = value
    }
}

// MARK: - JSON

extension OTLPField {
    /// Returns a message as JSON: the names in camel case, and 64-bit integers as text.
    static func json(_ message: [OTLPField]) -> JSONValue {
        .object(message.map { JSONValue.Member($0.name, $0.value.json) })
    }
}

extension OTLPField.Value {
    fileprivate var json: JSONValue {
        switch self {
        case .text(let text): .string(text)
        case .identifier(let bytes): .string(Hexadecimal.text(bytes))
        case .time(let time): .string("\(time.nanosecondsSinceEpoch)")
        case .flags(let flags): .number("\(flags)")
        case .integer(let integer): .string("\(integer)")
        case .count(let count): .number("\(count)")
        case .message(let message): OTLPField.json(message)
        case .list(let messages): .array(messages.map(OTLPField.json))
        }
    }
}

// MARK: - Protobuf

extension OTLPField {
    /// Returns a message in protobuf's wire format (https://protobuf.dev/programming-guides/encoding/).
    static func protobuf(_ message: [OTLPField]) -> [UInt8] {
        message.reduce(into: []) { bytes, field in field.write(to: &bytes) }
    }

    private enum WireType: Int {
        case varint = 0
        case bits64 = 1
        case bytes = 2
        case bits32 = 5
    }

    private func write(to bytes: inout [UInt8]) {
        func tag(_ type: WireType) { bytes.append(varint: UInt64(number << 3 | type.rawValue)) }
        func write(_ content: some Collection<UInt8>) {
            tag(.bytes)
            bytes.append(varint: UInt64(content.count))
            bytes += content
        }
        func write(_ number: some FixedWidthInteger, as type: WireType) {
            tag(type)
            bytes.append(littleEndian: number)
        }
        switch value {
        case .text(let text): write(text.utf8)
        case .identifier(let identifier): write(identifier)
        case .time(let time): write(time.nanosecondsSinceEpoch, as: .bits64)
        case .flags(let flags): write(flags, as: .bits32)
        case .integer(let integer):
            tag(.varint)
            bytes.append(varint: UInt64(bitPattern: integer))
        case .count(let count):
            tag(.varint)
            bytes.append(varint: UInt64(count))
        case .message(let message): write(Self.protobuf(message))
        case .list(let messages): for message in messages { write(Self.protobuf(message)) }
        }
    }
}

extension UnixTime {
    fileprivate var nanosecondsSinceEpoch: UInt64 {
        UInt64(clamping: seconds) &* 1_000_000_000 &+ UInt64(clamping: nanoseconds)
    }
}

extension [UInt8] {
    fileprivate mutating func append(varint value: UInt64) {
        var rest = value
        while rest > 0x7F {
            append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
        for shift in stride(from: 0, to: value.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
}
