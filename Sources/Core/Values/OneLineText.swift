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
    /// A Boolean value that indicates whether the character is visible where it stands, and as itself.
    fileprivate var isPlain: Bool {
        guard !isASCII else { return value >= 0x20 && value != 0x7F }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
