package import Payloads

/// One of the two payloads in a comparison: its lines, and its size relative to the limit.
struct PayloadView {
    struct Line {
        var text: String
        /// A Boolean value that indicates whether the other payload does not have this line.
        var isChanged: Bool
    }

    let heading: String
    let lines: [Line]
    let byteCount: Int
    let byteLimit: Int
    let isTooLarge: Bool
    let size: String

    init(heading: String, lines: [Line], byteCount: Int, byteLimit: Int) {
        self.heading = heading
        self.lines = lines
        self.byteCount = byteCount
        self.byteLimit = byteLimit
        isTooLarge = byteCount > byteLimit
        // A payload without a limit has no size to compare.
        size =
            byteCount == 0
            ? "no limit" : "\(ShownNumber.grouped(byteCount)) of \(ShownNumber.grouped(byteLimit)) bytes"
    }

    /// Returns both payloads. Marks the lines that only one of them has.
    static func pair(_ request: NotificationRequest, _ rewritten: JSONValue) -> [PayloadView] {
        let (old, new) = (request.payload.lines, rewritten.lines)
        let changes = comparable(new).difference(from: comparable(old))
        let removed = Set(changes.removals.map(\.offset))
        let inserted = Set(changes.insertions.map(\.offset))
        return [("Original", request.payload, old, removed), ("Rewritten", rewritten, new, inserted)].map {
            heading,
            payload,
            lines,
            changed in
            PayloadView(
                heading: heading,
                lines: lines.enumerated().map { Line(text: $1, isChanged: changed.contains($0)) },
                byteCount: request.byteCount(of: payload),
                byteLimit: request.pushType.byteLimit,
            )
        }
    }

    /// Returns the lines without a comma at their end, which is not a change: it only shows that another line follows.
    private static func comparable(_ lines: [String]) -> [String] {
        lines.map { $0.hasSuffix(",") ? String($0.dropLast()) : $0 }
    }
}

extension CollectionDifference.Change {
    fileprivate var offset: Int {
        switch self {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        }
    }
}

// MARK: - Lines of JSON

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
