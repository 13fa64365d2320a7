/// The location of a value in a JSON text (RFC 6901): `/aps/alert/body`, and the empty pointer for the whole.
package struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    package var tokens: [String]

    package init(tokens: [String] = []) { self.tokens = tokens }

    package init(_ text: String) throws(JSONPointerError) {
        var parts = text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)[...]
        guard parts.popFirst()?.isEmpty ?? true else { throw JSONPointerError(text: text) }
        var tokens: [String] = []
        for part in parts {
            guard let token = Self.unescaped(part) else { throw JSONPointerError(text: text) }
            tokens.append(token)
        }
        self.tokens = tokens
    }

    package func appending(_ token: String) -> JSONPointer { JSONPointer(tokens: tokens + [token]) }

    package static func + (left: JSONPointer, right: JSONPointer) -> JSONPointer {
        JSONPointer(tokens: left.tokens + right.tokens)
    }

    package var description: String { tokens.map { "/" + Self.escaped($0) }.joined() }

    private static func escaped(_ token: String) -> String {
        token.unicodeScalars.map { scalar in
            switch scalar {
            case "~": "~0"
            case "/": "~1"
            default: String(scalar)
            }
        }
        .joined()
    }

    private static func unescaped(_ part: Substring.UnicodeScalarView) -> String? {
        var token = ""
        var scalars = part.makeIterator()
        while let scalar = scalars.next() {
            guard scalar == "~" else {
                token.unicodeScalars.append(scalar)
                continue
            }
            switch scalars.next() {
            case "0": token.append("~")
            case "1": token.append("/")
            default: return nil
            }
        }
        return token
    }
}

/// The error that a text is not a JSON pointer.
package struct JSONPointerError: Error, Sendable, Equatable, CustomStringConvertible {
    package var text: String

    package var description: String {
        "\"\(text)\" is not a JSON pointer: start it with /, and write ~0 for ~ and ~1 for / in a key."
    }
}

// MARK: - Values at pointers

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

    fileprivate func child(_ token: String) -> JSONValue? {
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

// MARK: - Patterns

/// A JSON pointer in which a token `*` means every element of an array and every member of an object.
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

    /// Returns `false` if the first token already leads nowhere.
    func mayMatch(in value: JSONValue) -> Bool {
        tokens.first.map { $0 == "*" || value.child($0) != nil } ?? true
    }

    /// Returns every match in `value`, in the order of the text.
    func matches(in value: JSONValue) -> [Match] {
        guard tokens.contains("*") else {
            let pointer = JSONPointer(tokens: tokens)
            return value.value(at: pointer).map { [Match(pointer: pointer, wildcards: [], value: $0)] } ?? []
        }
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
