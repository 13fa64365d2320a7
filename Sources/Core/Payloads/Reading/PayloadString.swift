/// A JSON string of a body that holds a payload or request of its own, as Amazon SNS has it.
struct PayloadString: Sendable, Equatable {
    /// The location of the string. The pointers to values inside go on from there.
    var pointer: JSONPointer
    /// The JSON inside.
    var value: JSONValue
    /// The dialects of requests that may be inside. `nil` is all of them.
    var requests: [Dialect]?

    /// Returns the strings of `body` at `places` that hold a JSON object.
    static func all(_ places: [PayloadStrings], in body: JSONValue) -> [PayloadString] {
        var strings: [PayloadString] = []
        for place in places {
            for match in place.pattern.matches(in: body).prefix(countLimit - strings.count) {
                guard !strings.contains(where: { $0.pointer == match.pointer }), let text = match.value.text,
                    let value = try? JSONValue(parsing: Array(text.utf8)), value.isObject
                else { continue }
                strings.append(PayloadString(pointer: match.pointer, value: value, requests: place.requests))
            }
        }
        return strings
    }

    /// The most strings of one body that are opened.
    private static let countLimit = 16
}

extension JSONValue {
    /// Returns the body in which the JSON inside replaces each of `strings`.
    func opening(_ strings: [PayloadString]) -> JSONValue {
        strings.reduce(into: self) { body, string in
            guard let text = body.value(at: string.pointer)?.text,
                let value = try? JSONValue(parsing: Array(text.utf8))
            else { return }
            body.set(at: string.pointer, to: value)
        }
    }

    /// Returns the body with the strings that `original` has. JSON that did not change keeps its text.
    func closing(_ strings: [PayloadString], as original: JSONValue) -> JSONValue {
        strings.reduce(into: self) { body, string in
            guard let value = body.value(at: string.pointer) else { return }
            let text = value == string.value ? original.value(at: string.pointer) : nil
            body.set(at: string.pointer, to: text ?? .string(value.compactText))
        }
    }
}
