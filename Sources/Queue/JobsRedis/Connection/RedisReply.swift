/// A Redis server's reply in RESP2: https://redis.io/docs/latest/develop/reference/protocol-spec/
package enum RedisReply: Sendable, Equatable {
    case status(String)
    /// An error from the server. Its first word is a code, such as `READONLY`.
    case error(String)
    case integer(Int)
    case bytes([UInt8])
    case null
    case array([RedisReply])

    /// The text of a status or a byte string.
    package var text: String? {
        switch self {
        case .status(let text): text
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        default: nil
        }
    }

    package var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    /// The value of an integer, or of text that is a decimal integer.
    package var integer: Int? {
        if case .integer(let number) = self { number } else { text.flatMap { Int($0) } }
    }

    /// The elements of an array. A null is an empty array, because Redis answers null for an empty result.
    package var elements: [RedisReply]? {
        switch self {
        case .array(let elements): elements
        case .null: []
        default: nil
        }
    }
}

// MARK: - Commands

/// A command to the server: an array of byte strings.
package struct RedisCommand: Sendable {
    package let bytes: [UInt8]

    package init(_ arguments: [[UInt8]]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(arguments.reduce(16) { $0 + $1.count + 16 })
        bytes.append(contentsOf: "*\(arguments.count)\r\n".utf8)
        for argument in arguments {
            bytes.append(contentsOf: "$\(argument.count)\r\n".utf8)
            bytes.append(contentsOf: argument)
            bytes.append(contentsOf: "\r\n".utf8)
        }
        self.bytes = bytes
    }

    package init(_ words: [String]) { self.init(words.map { Array($0.utf8) }) }

    package init(_ words: String...) { self.init(words) }
}

// MARK: - The parser

/// An incremental parser of replies. It rejects malformed and unlimited input.
///
/// After an error, the rest of the stream cannot be parsed: close the connection.
package struct ReplyParser {
    package enum ParseError: Error, Equatable {
        /// A reply begins with this byte, which is not one of the five type characters.
        case unknownType(UInt8)
        /// A length or an integer is not a number, or a line or string does not end with CR LF.
        case malformed
        case tooLarge
        case tooDeep
    }

    /// The cost of one array element, in bytes, on top of the bytes received.
    static let elementCost = 32
    static let depthLimit = 8
    /// The maximum length of a line, in bytes. The longest lines are error messages of a sentence or two.
    static let lineLimit = 4096

    /// An array whose elements are incomplete.
    private struct OpenArray {
        var missing: Int
        var elements: [RedisReply] = []
    }

    private let costLimit: Int
    private var received: [UInt8] = []
    private var offset = 0
    private var open: [OpenArray] = []
    private var cost = 0
    /// The index up to which the line at `offset` was searched for its end.
    private var searched = 0

    /// Creates a parser. The default `costLimit` of 64 MiB holds a thousand jobs of full size.
    package init(costLimit: Int = 1 << 26) { self.costLimit = costLimit }

    package mutating func feed(_ bytes: some Sequence<UInt8>) {
        received.removeFirst(offset)
        searched -= min(searched, offset)
        offset = 0
        received.append(contentsOf: bytes)
    }

    /// Returns the next complete reply, or `nil` if more bytes are needed.
    package mutating func next() throws(ParseError) -> RedisReply? {
        while let value = try nextValue() {
            guard let reply = close(value) else { continue }
            cost = 0
            return reply
        }
        return nil
    }

    /// Adds a value to the innermost open array. Returns the whole reply if this value completes it.
    private mutating func close(_ value: RedisReply) -> RedisReply? {
        var value = value
        while var array = open.popLast() {
            array.elements.append(value)
            array.missing -= 1
            guard array.missing == 0 else {
                open.append(array)
                return nil
            }
            value = .array(array.elements)
        }
        return value
    }

    /// Returns the next value that is not an array with elements. Adds the beginnings of such arrays to `open`.
    private mutating func nextValue() throws(ParseError) -> RedisReply? {
        while offset < received.count {
            let type = received[offset]
            guard "+-:$*".utf8.contains(type) else { throw .unknownType(type) }
            guard let end = try lineEnd() else { return nil }
            let line = received[offset + 1..<end - 1]
            switch type {
            case UInt8(ascii: "+"): return try take(.status(String(decoding: line, as: UTF8.self)), upTo: end)
            case UInt8(ascii: "-"): return try take(.error(String(decoding: line, as: UTF8.self)), upTo: end)
            case UInt8(ascii: ":"): return try take(.integer(Self.integer(line)), upTo: end)
            case UInt8(ascii: "$"):
                guard let count = try Self.length(line) else { return try take(.null, upTo: end) }
                guard count <= costLimit - cost else { throw .tooLarge }
                let start = end + 1
                guard received.count >= start + count + 2 else { return nil }
                guard received[start + count] == 13, received[start + count + 1] == 10 else { throw .malformed }
                return try take(.bytes(Array(received[start..<start + count])), upTo: start + count + 1)
            default:
                guard let count = try Self.length(line) else { return try take(.null, upTo: end) }
                guard count > 0 else { return try take(.array([]), upTo: end) }
                guard open.count < Self.depthLimit else { throw .tooDeep }
                guard count <= (costLimit - cost) / Self.elementCost else { throw .tooLarge }
                try spend(upTo: end)
                open.append(OpenArray(missing: count))
            }
        }
        return nil
    }

    private mutating func take(_ value: RedisReply, upTo end: Int) throws(ParseError) -> RedisReply {
        try spend(upTo: end)
        return value
    }

    private mutating func spend(upTo end: Int) throws(ParseError) {
        cost += end + 1 - offset + Self.elementCost
        guard cost <= costLimit + Self.elementCost else { throw .tooLarge }
        offset = end + 1
        searched = offset
    }

    /// Returns the index of the newline that ends the line at `offset`, or `nil` if it was not received yet.
    private mutating func lineEnd() throws(ParseError) -> Int? {
        searched = max(searched, offset)
        guard let end = received[searched...].firstIndex(of: 10) else {
            searched = received.count
            guard searched - offset <= Self.lineLimit else { throw .malformed }
            return nil
        }
        searched = end
        guard end - offset <= Self.lineLimit, end >= offset + 2, received[end - 1] == 13 else { throw .malformed }
        return end
    }

    private static func integer(_ line: ArraySlice<UInt8>) throws(ParseError) -> Int {
        guard let number = Int(String(decoding: line, as: UTF8.self)) else { throw .malformed }
        return number
    }

    /// Returns a length, or `nil` for -1, the length of a null.
    private static func length(_ line: ArraySlice<UInt8>) throws(ParseError) -> Int? {
        let length = try integer(line)
        guard length >= -1 else { throw .malformed }
        return length < 0 ? nil : length
    }
}
