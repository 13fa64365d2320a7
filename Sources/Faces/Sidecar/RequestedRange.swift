/// The part of a representation that a `Range` field asks for (RFC 9110, section 14).
enum RequestedRange: Equatable {
    /// The whole representation: the field is malformed, or names several ranges.
    case whole
    case part(Range<Int>)
    case unsatisfiable

    /// Reads the field's value for a representation of `byteCount` bytes.
    ///
    /// A server may ignore a request for several ranges (section 14.2): players and downloaders ask for one. A malformed
    /// range is refused rather than ignored, as nginx does.
    init(_ field: String, of byteCount: Int) {
        self = .whole
        guard field.utf8.count > 6, field.prefix(6).lowercased() == "bytes=" else { return }
        let specifiers = field.dropFirst(6).split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
            .filter { !$0.isEmpty }
        guard specifiers.count <= 1 else { return }
        let range = specifiers.first.flatMap { Self.range($0, of: byteCount) }
        self = if let range, !range.isEmpty { .part(range) } else { .unsatisfiable }
    }

    /// The bytes that one specifier means, empty if they lie behind the end; `nil` if the text is not a specifier.
    private static func range(_ text: String, of byteCount: Int) -> Range<Int>? {
        guard let dash = text.utf8.firstIndex(of: 0x2D) else { return nil }
        let (first, last) = (text[..<dash], text[text.utf8.index(after: dash)...])
        guard !first.isEmpty else {
            return number(last).map { max(0, byteCount - $0)..<byteCount }
        }
        guard let start = number(first) else { return nil }
        guard !last.isEmpty else { return start < byteCount ? start..<byteCount : 0..<0 }
        guard let end = number(last) else { return nil }
        return start <= end && start < byteCount ? start..<min(byteCount, end + 1) : 0..<0
    }

    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.count <= 18, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}
