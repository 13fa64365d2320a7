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

    /// The elements of an array. A null counts as an empty array, because Redis answers null for an empty result.
    package var elements: [RedisReply]? {
        switch self {
        case .array(let elements): elements
        case .null: []
        default: nil
        }
    }
}
