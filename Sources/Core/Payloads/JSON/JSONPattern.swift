/// A JSON pointer in which a token `*` stands for every element of an array and every member of an object.
///
/// A key that is itself `*` cannot be named.
package struct JSONPattern: Sendable, Hashable, CustomStringConvertible {
    private var tokens: [String]

    /// A location that a pattern found, and the values of its wildcards there.
    struct Match {
        var pointer: JSONPointer
        var wildcards: [String]
        var value: JSONValue
    }

    package init(_ text: String) throws(JSONPointerError) { tokens = try JSONPointer(text).tokens }

    package var description: String { JSONPointer(tokens: tokens).description }

    /// Returns every match in `value`, in the order of the text.
    func matches(in value: JSONValue) -> [Match] {
        var matches = [Match(pointer: JSONPointer(), wildcards: [], value: value)]
        for token in tokens {
            matches = matches.flatMap { token == "*" ? $0.children : [$0.child(token)].compactMap(\.self) }
        }
        return matches
    }

    /// Returns the pointer in which `wildcards` replace the wildcards, in order.
    func pointer(filling wildcards: [String]) -> JSONPointer {
        var wildcards = wildcards[...]
        return JSONPointer(tokens: tokens.map { $0 == "*" ? wildcards.popFirst() ?? $0 : $0 })
    }
}

extension JSONPattern: ExpressibleByStringInterpolation {
    /// Creates a pattern from a literal in the source, where a bad one is a programmer's mistake.
    package init(stringLiteral text: String) {
        do { try self.init(text) } catch { preconditionFailure(error.description) }
    }
}

extension JSONPattern.Match {
    fileprivate func child(_ token: String) -> Self? {
        value.value(at: JSONPointer(tokens: [token])).map {
            Self(pointer: pointer.appending(token), wildcards: wildcards, value: $0)
        }
    }

    /// The elements or members. Of members of the same name, only the last, which a pointer reaches.
    fileprivate var children: [Self] {
        switch value {
        case .array(let elements):
            return elements.enumerated().map { child(String($0.offset), $0.element) }
        case .object(let members):
            var seen: Set<[UInt8]> = []
            let last = members.reversed().filter { $0.unpairedKey == nil }.filter {
                seen.insert(Array($0.key.utf8)).inserted
            }
            return last.reversed().map { child($0.key, $0.value) }
        default: return []
        }
    }

    private func child(_ token: String, _ value: JSONValue) -> Self {
        Self(pointer: pointer.appending(token), wildcards: wildcards + [token], value: value)
    }
}
