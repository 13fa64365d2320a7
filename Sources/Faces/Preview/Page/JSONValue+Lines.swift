package import Payloads

extension JSONValue {
    /// The value as readable lines: one member or element a line, with two spaces for each level.
    package var lines: [String] {
        switch self {
        case .array(let elements) where !elements.isEmpty:
            Self.enclosed("[", elements.map(\.lines), "]")
        case .object(let members) where !members.isEmpty:
            Self.enclosed("{", members.map { $0.value.lines(after: JSONValue.string($0.key).compactText + ": ") }, "}")
        default: [compactText]
        }
    }

    private func lines(after prefix: String) -> [String] {
        var lines = lines
        lines[0] = prefix + lines[0]
        return lines
    }

    private static func enclosed(_ opening: String, _ parts: [[String]], _ closing: String) -> [String] {
        let inner = parts.enumerated().flatMap { index, lines in
            var lines = lines.map { "  " + $0 }
            if index < parts.count - 1 { lines[lines.count - 1] += "," }
            return lines
        }
        return [opening] + inner + [closing]
    }
}
