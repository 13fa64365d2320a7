import Digests
import Payloads

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
        case .time(let time): .string("\(time)")
        case .flags(let flags): .number("\(flags)")
        case .integer(let integer): .string("\(integer)")
        case .count(let count): .number("\(count)")
        case .number(let number):
            number.isFinite
                ? .number("\(number)") : .string(number.isNaN ? "NaN" : number > 0 ? "Infinity" : "-Infinity")
        case .flag(let flag): .bool(flag)
        case .message(let message): OTLPField.json(message)
        case .list(let messages): .array(messages.map(OTLPField.json))
        }
    }
}
