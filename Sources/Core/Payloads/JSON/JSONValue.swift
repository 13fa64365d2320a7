/// A JSON value (RFC 8259), exact: written again, it is the value that was read.
///
/// Objects keep the order of their members, and members of the same name. Numbers keep their text.
package enum JSONValue: Sendable {
    case null
    case bool(Bool)
    /// The number as it was written, such as `9007199254740993` or `1.50e3`.
    case number(String)
    case string(String)
    /// A string with a surrogate that has no pair, as it was written between its quotes. No Unicode text can hold it.
    case unpaired(String)
    case array([JSONValue])
    case object([Member])

    package struct Member: Sendable, Equatable {
        package var key: String
        package var value: JSONValue
        /// The key as it was written, if it has a surrogate without a pair. Then `key` has U+FFFD in its place, and
        /// matches nothing.
        private(set) var unpairedKey: String?

        package init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }

        init(unpairedKey: String, shown key: String, _ value: JSONValue) {
            self.init(key, value)
            self.unpairedKey = unpairedKey
        }

        func isNamed(_ name: String) -> Bool { unpairedKey == nil && key.isExactly(name) }

        package static func == (left: Member, right: Member) -> Bool {
            left.key.isExactly(right.key) && left.unpairedKey == right.unpairedKey && left.value == right.value
        }
    }

    /// The deepest nesting of arrays and objects. Deeper input is rejected, so that no code here can exhaust its stack.
    package static let depthLimit = 128
}

extension JSONValue {
    /// The member of that name; of several, the last one, as in most JSON readers.
    package subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.isNamed(key) }?.value
    }

    package var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The nearest `Double`, or `nil` if that is infinite, as for `1e400`.
    package var double: Double? {
        guard case .number(let text) = self else { return nil }
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    /// A Boolean value that indicates whether a string or key contains a surrogate without a pair.
    var hasUnpairedSurrogate: Bool {
        switch self {
        case .unpaired: true
        case .array(let elements): elements.contains(where: \.hasUnpairedSurrogate)
        case .object(let members): members.contains { $0.unpairedKey != nil || $0.value.hasUnpairedSurrogate }
        case .null, .bool, .number, .string: false
        }
    }

    package var isObject: Bool {
        guard case .object = self else { return false }
        return true
    }

    /// A Boolean value that indicates whether this is `true` or the number 1, the two ways in which push payloads say
    /// yes.
    package var isYes: Bool { self == .bool(true) || double == 1 }
}

extension JSONValue: Equatable {
    /// Compares the written forms: strings scalar by scalar, numbers digit by digit, members in their order.
    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.isExactly(right)
        case (.unpaired(let left), .unpaired(let right)): left.isExactly(right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(nilLiteral: ()) { self = .null }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int) { self = .number(String(value)) }
    package init(stringLiteral value: String) { self = .string(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }

    package static func integer(_ value: Int) -> JSONValue { .number(String(value)) }
}

extension String {
    /// Returns whether both have the same bytes. `==` would also match a composed and a decomposed letter.
    func isExactly(_ other: String) -> Bool { utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8) }

    /// A Boolean value that indicates whether the text is empty or white space: a push payload's way of saying "none".
    var isBlank: Bool { allSatisfy(\.isWhitespace) }
}

// MARK: - Writing

extension JSONValue {
    /// The shortest JSON text: without spaces, and with only the necessary escapes.
    package var compactBytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    package var compactText: String { String(decoding: compactBytes, as: UTF8.self) }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let text): bytes.append(contentsOf: text.utf8)
        case .string(let text): Self.write(text, to: &bytes)
        case .unpaired(let written): Self.quote(written, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                if let written = member.unpairedKey {
                    Self.quote(written, to: &bytes)
                } else {
                    Self.write(member.key, to: &bytes)
                }
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Writes a string that is already escaped, or has nothing to escape.
    private static func quote(_ written: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: written.utf8)
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        let start = bytes.count
        quote(text, to: &bytes)
        // Most texts have nothing to escape.
        guard bytes[(start + 1)..<(bytes.count - 1)].contains(where: isEscaped) else { return }
        bytes.removeSubrange((start + 1)...)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes.append(contentsOf: "\\\"".utf8)
            case UInt8(ascii: "\\"): bytes.append(contentsOf: "\\\\".utf8)
            case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
            case UInt8(ascii: "\r"): bytes.append(contentsOf: "\\r".utf8)
            case UInt8(ascii: "\t"): bytes.append(contentsOf: "\\t".utf8)
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                bytes.append(contentsOf: "\\u00\(digits.count == 1 ? "0" : "")\(digits)".utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
