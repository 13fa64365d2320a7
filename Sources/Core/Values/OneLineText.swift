extension String {
    /// The text on one line: control and formatting characters are escaped, and what is longer than `limit` bytes is cut.
    ///
    /// Texts from outside go into logs and to terminals only so: a line break would begin a line that nobody logged, and
    /// an escape sequence would tell a terminal what to do.
    package func onOneLine(limit: Int = 4096) -> String {
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
    /// A Boolean value that indicates whether the character shows where it stands, and as itself.
    fileprivate var isPlain: Bool {
        guard !isASCII else { return value >= 0x20 && value != 0x7F }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
