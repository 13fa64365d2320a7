/// Reads one JSON text, as strictly as RFC 8259 puts it.
///
/// Refused besides bad grammar: bytes after the value, invalid UTF-8, a byte order mark, nesting deeper than
/// `JSONValue.depthLimit`, and an escaped surrogate without its pair, which no Unicode string can hold.
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
            throw failure("Something follows after the end of the JSON value; send one value only.")
        }
        return value
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        guard let first = peek else {
            throw failure("A value is expected here, and the text ends; check that it is complete.")
        }
        switch first {
        case UInt8(ascii: "{"): return .object(try members(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try elements(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try string())
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
            let key = try string()
            skipWhitespace()
            guard take(":") else { throw failure("A colon is expected after the key.") }
            skipWhitespace()
            members.append(JSONValue.Member(key, try value(depth: depth)))
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
            throw failure("Nested deeper than \(JSONValue.depthLimit) levels; send a flatter payload.")
        }
        index += 1
        skipWhitespace()
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
        guard bytes[index...].starts(with: word.utf8) else {
            throw failure("A value is expected here; strings need double quotes.")
        }
        index += word.utf8.count
        return value
    }

    private mutating func number() throws(JSONError) -> String {
        let start = index
        _ = take("-")
        if !take("0") { try digits() }
        if let next = peek, isDigit(next) { throw failure("A number must not start with 0; write it without.") }
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

    private mutating func string() throws(JSONError) -> String {
        index += 1
        let start = index
        var unescaped: [UInt8] = []
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: unescaped, as: UTF8.self) else {
                    throw JSONError("This string is not valid UTF-8; send the text as UTF-8.", at: start, in: bytes)
                }
                index += 1
                return text
            case UInt8(ascii: "\\"):
                index += 1
                unescaped.append(contentsOf: String(try escape()).utf8)
            case 0..<0x20:
                throw failure("A control character stands in a string; escape it, a newline as \\n.")
            default:
                unescaped.append(byte)
                index += 1
            }
        }
        throw failure("The text ends inside a string; check that it is complete.")
    }

    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        guard let letter = peek else { throw failure("The text ends inside a string; check that it is complete.") }
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
        guard letter == UInt8(ascii: "u") else { throw failure("JSON has no such escape; write \\\\ for a backslash.") }
        return try escapedScalar()
    }

    /// `\uXXXX`, or a surrogate pair of two of them; the index stands at the first `u`.
    private mutating func escapedScalar() throws(JSONError) -> Unicode.Scalar {
        let first = try escapedUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, take("\\"), peek == UInt8(ascii: "u") else { throw loneSurrogate }
        let second = try escapedUnit()
        guard (0xDC00...0xDFFF).contains(second) else { throw loneSurrogate }
        let value = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        guard let scalar = Unicode.Scalar(value) else { throw loneSurrogate }
        return scalar
    }

    private var loneSurrogate: JSONError {
        failure("An escaped surrogate stands without its pair, which is not a character; remove it.")
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
