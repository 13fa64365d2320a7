extension JSONValue {
    /// Returns the value at `pointer`; among members of the same name, the last.
    package func value(at pointer: JSONPointer) -> JSONValue? {
        var value = self
        for token in pointer.tokens {
            guard let child = value.child(token) else { return nil }
            value = child
        }
        return value
    }

    /// Replaces the value at `pointer`, or adds it as the last member of its object. Returns `false` and changes
    /// nothing if that object is missing.
    @discardableResult
    package mutating func set(at pointer: JSONPointer, to new: JSONValue) -> Bool {
        set(at: pointer.tokens[...], to: new)
    }

    private func child(_ token: String) -> JSONValue? {
        guard case .array(let elements) = self else { return self[token] }
        return Self.index(token, in: elements).map { elements[$0] }
    }

    private mutating func set(at tokens: ArraySlice<String>, to new: JSONValue) -> Bool {
        guard let token = tokens.first else {
            self = new
            return true
        }
        switch self {
        case .array(var elements):
            guard let index = Self.index(token, in: elements),
                elements[index].set(at: tokens.dropFirst(), to: new)
            else { return false }
            self = .array(elements)
        case .object(var members):
            if let index = members.lastIndex(where: { $0.isNamed(token) }) {
                guard members[index].value.set(at: tokens.dropFirst(), to: new) else { return false }
            } else {
                guard tokens.count == 1 else { return false }
                members.append(Member(token, new))
            }
            self = .object(members)
        default: return false
        }
        return true
    }

    /// Returns the index that `token` names by RFC 6901: digits only, without leading zeros.
    private static func index(_ token: String, in elements: [JSONValue]) -> Int? {
        guard let index = Int(token), String(index) == token, elements.indices.contains(index) else { return nil }
        return index
    }
}
