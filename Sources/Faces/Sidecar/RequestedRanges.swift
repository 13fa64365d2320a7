/// What a `Range` field asks for of a representation (RFC 9110, section 14).
enum RequestedRanges: Equatable {
    /// The field is of no use, or not worth its while: answer with the whole.
    case whole
    case parts([Range<Int>])
    case unsatisfiable

    /// More parts than that are no player's or downloader's, but an attack on the server's work.
    private static let limit = 16

    /// Reads the field's value for a representation of `byteCount` bytes.
    ///
    /// What no range can be is refused rather than ignored, and parts that are more than the whole together are not
    /// worth their while: both as nginx has it.
    init(_ field: String, of byteCount: Int) {
        guard field.utf8.count > 6, field.prefix(6).lowercased() == "bytes=" else {
            self = .whole
            return
        }
        var parts: [Range<Int>] = []
        var total = 0
        let specifiers = field.dropFirst(6).split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
        for specifier in specifiers where !specifier.isEmpty {
            guard let range = Self.range(specifier, of: byteCount) else {
                self = .unsatisfiable
                return
            }
            guard !range.isEmpty else { continue }
            parts.append(range)
            total += range.count
        }
        if total > byteCount || parts.count > Self.limit {
            self = .whole
        } else {
            self = parts.isEmpty ? .unsatisfiable : .parts(parts)
        }
    }

    /// The bytes that one specifier means, none if they lie behind the end; `nil` for what is no specifier.
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
