extension String {
    /// Returns the text on one line: escapes control and formatting characters, and cuts after `limit` bytes.
    ///
    /// Text from outside reaches logs and terminals only in this form. A line break would forge a log line, and an
    /// escape sequence would control the terminal.
    package func onOneLine(limit: Int = 4096) -> String {
        // Most texts are plain already.
        if utf8.count <= limit, utf8.allSatisfy({ 0x20...0x7E ~= $0 }) { return self }
        var line = ""
        var byteCount = 0
        for scalar in unicodeScalars {
            let piece = scalar.isPlain ? String(scalar) : scalar.escaped(asASCII: true)
            byteCount += piece.utf8.count
            guard byteCount <= limit else { return line + "…" }
            line += piece
        }
        return line
    }
}

extension Unicode.Scalar {
    /// A Boolean value that indicates whether the character is visible, and does not change or move other characters.
    fileprivate var isPlain: Bool {
        guard !isASCII else { return value >= 0x20 && value != 0x7F }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}

// MARK: - Texts with a form

/// A host and a port, written `HOST:PORT`, with an IPv6 address in brackets.
package struct HostAndPort: Sendable, Equatable, CustomStringConvertible {
    package var host: String
    package var port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65_535).contains(port), colon != text.startIndex
        else { return nil }
        let host = text[..<colon]
        let isInBrackets = host.hasPrefix("[") && host.hasSuffix("]") && host.utf8.count > 2
        self.init(host: String(isInBrackets ? host.dropFirst().dropLast() : host), port: port)
    }

    package var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}

/// Sizes as people write them in options: `500kB`, `2MB`, `1.5GB`. Units are decimal.
package enum ByteSizeText {
    /// The units. Of units with a common ending, the longest comes first, so `B` comes last.
    private static let units: [(suffix: String, bytes: Double)] = [
        ("kB", 1e3), ("KB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12), ("B", 1),
    ]

    /// Returns the size in bytes, or `nil` if `text` is not a size: a negative or missing number, or a missing unit.
    package static func parse(_ text: String) -> Int? {
        guard let unit = units.first(where: { text.hasSuffix($0.suffix) }) else { return nil }
        let digits = text.dropLast(unit.suffix.count)
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
            let number = Double(digits), number * unit.bytes < 1e16
        else { return nil }
        return Int(clamping: number * unit.bytes)
    }
}

// MARK: - Comparisons

/// Patterns in which `*` stands for any number of characters, including none.
package enum Wildcard {
    /// Returns whether `text` matches `pattern`, in time proportional to both lengths: each `*` is tried from where the
    /// one before it succeeded.
    package static func matches(_ text: Substring.UTF8View, _ pattern: String.UTF8View) -> Bool {
        var (place, next) = (text.startIndex, pattern.startIndex)
        var retry: (place: String.Index, next: String.Index)?
        while place != text.endIndex {
            if next != pattern.endIndex, pattern[next] == UInt8(ascii: "*") {
                next = pattern.index(after: next)
                retry = (place, next)
            } else if next != pattern.endIndex, pattern[next] == text[place] {
                (place, next) = (text.index(after: place), pattern.index(after: next))
            } else if let last = retry {
                (place, next) = (text.index(after: last.place), last.next)
                retry = (place, next)
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}

/// The distance between two spellings of a word.
package enum EditDistance {
    /// Returns the number of elements to add, remove or replace (Levenshtein). The time grows with the product of both lengths.
    package static func between<Element: Equatable>(
        _ source: some Collection<Element>,
        _ target: some Collection<Element>,
    ) -> Int {
        var row = Array(0...target.count)
        for (index, element) in source.enumerated() {
            var previous = row[0]
            row[0] = index + 1
            for (column, other) in target.enumerated() {
                let replaced = previous + (element == other ? 0 : 1)
                previous = row[column + 1]
                row[column + 1] = min(replaced, previous + 1, row[column] + 1)
            }
        }
        return row[target.count]
    }
}
