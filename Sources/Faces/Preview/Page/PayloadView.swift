import Payloads

/// One of the two payloads, as it is shown beside the other: its lines, and its size against the limit.
struct PayloadView {
    struct Line {
        var text: String
        /// Whether the other payload doesn't have it.
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
        // What has no limit isn't counted.
        size =
            byteCount == 0
            ? "no limit" : "\(ShownNumber.grouped(byteCount)) of \(ShownNumber.grouped(byteLimit)) bytes"
    }

    /// Both sides. Lines that only one of them has are marked.
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

    /// A comma at the end is no change: it says that another line was added below.
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
