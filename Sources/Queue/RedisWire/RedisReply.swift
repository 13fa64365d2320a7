/// What a Redis server answered, as RESP2 has it: https://redis.io/docs/latest/develop/reference/protocol-spec/
package enum RedisReply: Sendable, Equatable {
    case status(String)
    /// An error that the server reports. Its first word is a code, such as `READONLY`.
    case error(String)
    case integer(Int)
    case bytes([UInt8])
    case null
    case array([RedisReply])

    /// A status or bytes, as text.
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

    /// An integer, or text that is one.
    package var integer: Int? {
        if case .integer(let number) = self { number } else { text.flatMap { Int($0) } }
    }

    /// The elements; none of a null, which is how Redis says that there is nothing.
    package var elements: [RedisReply]? {
        switch self {
        case .array(let elements): elements
        case .null: []
        default: nil
        }
    }
}
