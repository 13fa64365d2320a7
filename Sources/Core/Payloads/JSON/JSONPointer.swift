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
