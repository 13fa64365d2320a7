/// A parser for one JSON text, as strict as RFC 8259.
///
/// It also rejects bytes after the value, invalid UTF-8, a byte order mark, and nesting deeper than
/// `JSONValue.depthLimit`. An escaped surrogate without its pair is kept as it was written.
struct JSONParser {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws(JSONError) -> JSONValue {
        guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { throw failure("Remove the byte order mark.") }
        skipWhitespace()
        let value = try value(depth: 0)
        skipWhitespace()
        guard index == bytes.count else {
            throw failure("There is more text after the JSON value. Send one value only.")
        }
        return value
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        guard let first = peek else {
            throw failure("The text ends where a value is expected. Check that it is complete.")
        }
        switch first {
        case UInt8(ascii: "{"): return .object(try members(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try elements(depth: depth + 1))
        case UInt8(ascii: "\""):
            let (text, unpaired) = try string()
            return unpaired.map { .unpaired($0) } ?? .string(text)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default:
            throw failure("A value is expected here: an object, array, string, number, true, false or null.")
        }
    }

    private mutating func members(depth: Int) throws(JSONError) -> [JSONValue.Member] {
        try open(depth)
        var members: [JSONValue.Member] = []
        if take("}") { return members }
        while true {
            guard peek == UInt8(ascii: "\"") else { throw failure("A key in double quotes is expected here.") }
            let (key, unpairedKey) = try string()
            skipWhitespace()
            guard take(":") else { throw failure("A colon is expected after the key.") }
            skipWhitespace()
            let value = try value(depth: depth)
            members.append(
                unpairedKey.map { JSONValue.Member(unpairedKey: $0, shown: key, value) } ?? JSONValue.Member(key, value)
            )
            skipWhitespace()
            if take("}") { return members }
            guard take(",") else { throw failure("A comma or the end of the object is expected here.") }
            skipWhitespace()
        }
    }

    private mutating func elements(depth: Int) throws(JSONError) -> [JSONValue] {
        try open(depth)
        var elements: [JSONValue] = []
        if take("]") { return elements }
        while true {
            elements.append(try value(depth: depth))
            skipWhitespace()
            if take("]") { return elements }
            guard take(",") else { throw failure("A comma or the end of the array is expected here.") }
            skipWhitespace()
        }
    }

    /// Steps over the bracket that opens an array or object.
    private mutating func open(_ depth: Int) throws(JSONError) {
        guard depth <= JSONValue.depthLimit else {
            throw failure("Nested deeper than \(JSONValue.depthLimit) levels. Send a flatter payload.")
        }
        index += 1
        skipWhitespace()
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
        guard bytes[index...].starts(with: word.utf8) else {
            throw failure("A value is expected here. Strings need double quotes.")
        }
        index += word.utf8.count
        return value
    }

    private mutating func number() throws(JSONError) -> String {
        let start = index
        _ = take("-")
        if !take("0") { try digits() }
        if let next = peek, isDigit(next) { throw failure("A number must not start with 0. Remove the zero.") }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func digits() throws(JSONError) {
        guard let first = peek, isDigit(first) else { throw failure("A digit is expected here.") }
        while let next = peek, isDigit(next) { index += 1 }
    }

    /// A string, and its written form if it has a surrogate without a pair.
    private typealias Text = (text: String, unpaired: String?)

    private mutating func string() throws(JSONError) -> Text {
        index += 1
        let start = index
        var unescaped: [UInt8] = []
        var isASCII = true
        var isUnpaired = false
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                // Most strings have no escape.
                let plain = unescaped.isEmpty ? bytes[start..<index] : unescaped[...]
                guard
                    let text = isASCII
                        ? String(decoding: plain, as: UTF8.self) : String(validating: plain, as: UTF8.self)
                else {
                    throw JSONError("This string is not valid UTF-8. Send the text as UTF-8.", at: start, in: bytes)
                }
                let written = isUnpaired ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
                index += 1
                return (text, written)
            case UInt8(ascii: "\\"):
                if unescaped.isEmpty { unescaped += bytes[start..<index] }
                index += 1
                let scalar = try escape()
                isUnpaired = isUnpaired || scalar == nil
                unescaped.append(contentsOf: String(scalar ?? "\u{FFFD}").utf8)
            case 0..<0x20:
                throw failure("A string contains a control character. Escape it, a newline as \\n.")
            default:
                isASCII = isASCII && byte < 0x80
                if !unescaped.isEmpty { unescaped.append(byte) }
                index += 1
            }
        }
        throw failure("The text ends inside a string. Check that it is complete.")
    }

    /// Reads an escape and returns its character, or `nil` for a surrogate without its pair.
    private mutating func escape() throws(JSONError) -> Unicode.Scalar? {
        guard let letter = peek else { throw failure("The text ends inside a string. Check that it is complete.") }
        let short: Unicode.Scalar? =
            switch letter {
            case UInt8(ascii: "\""): "\""
            case UInt8(ascii: "\\"): "\\"
            case UInt8(ascii: "/"): "/"
            case UInt8(ascii: "b"): "\u{8}"
            case UInt8(ascii: "f"): "\u{C}"
            case UInt8(ascii: "n"): "\n"
            case UInt8(ascii: "r"): "\r"
            case UInt8(ascii: "t"): "\t"
            default: nil
            }
        if let short {
            index += 1
            return short
        }
        guard letter == UInt8(ascii: "u") else {
            throw failure("This escape does not exist in JSON. Write \\\\ for a backslash.")
        }
        return try escapedScalar()
    }

    /// Reads `\uXXXX`, or a surrogate pair of two of them, from the first `u`. Returns `nil` for a surrogate without
    /// its pair, and stops behind that surrogate.
    private mutating func escapedScalar() throws(JSONError) -> Unicode.Scalar? {
        let first = try escapedUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        let end = index
        guard first < 0xDC00, take("\\"), peek == UInt8(ascii: "u"), case let second = try escapedUnit(),
            (0xDC00...0xDFFF).contains(second)
        else {
            index = end
            return nil
        }
        return Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
    }

    private mutating func escapedUnit() throws(JSONError) -> UInt16 {
        index += 1
        let hexadecimal = bytes[index...].prefix(4)
        guard hexadecimal.count == 4, hexadecimal.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt16(String(decoding: hexadecimal, as: UTF8.self), radix: 16)
        else { throw failure("Four hexadecimal digits are expected after \\u.") }
        index += 4
        return unit
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: scalar) else { return false }
        index += 1
        return true
    }

    private mutating func skipWhitespace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private func failure(_ message: String) -> JSONError { JSONError(message, at: index, in: bytes) }
}

extension JSONValue {
    /// Reads one JSON text that fills `bytes`.
    package init(parsing bytes: [UInt8]) throws(JSONError) {
        var parser = JSONParser(bytes)
        self = try parser.document()
    }
}

// MARK: - Errors

/// A syntax error in JSON, with its position.
package struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The offset in bytes, from 0.
    package var offset: Int
    /// The line, from 1. Columns are counted in bytes.
    package var line: Int
    package var column: Int
    /// The problem and what to do.
    package var message: String

    init(_ message: String, at offset: Int, in bytes: [UInt8]) {
        let before = bytes.prefix(offset)
        let newline = UInt8(ascii: "\n")
        self.message = message
        self.offset = offset
        line = before.count { $0 == newline } + 1
        column = offset - (before.lastIndex(of: newline) ?? -1)
    }

    package var description: String { "line \(line), column \(column): \(message)" }
}
