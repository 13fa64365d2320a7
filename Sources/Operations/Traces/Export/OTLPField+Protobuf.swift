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
        case .time(let time): write(time, as: .bits64)
        case .flags(let flags): write(flags, as: .bits32)
        case .number(let number): write(number.bitPattern, as: .bits64)
        case .integer(let integer):
            tag(.varint)
            bytes.append(varint: UInt64(bitPattern: integer))
        case .count(let count):
            tag(.varint)
            bytes.append(varint: UInt64(count))
        case .flag(let flag):
            tag(.varint)
            bytes.append(flag ? 1 : 0)
        case .message(let message): write(Self.protobuf(message))
        case .list(let messages): for message in messages { write(Self.protobuf(message)) }
        }
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
