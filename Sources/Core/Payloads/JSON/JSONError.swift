/// A syntax error in JSON, with its position.
package struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The offset in bytes, from 0.
    package var offset: Int
    /// The line, from 1. Columns are counted in bytes.
    package var line: Int
    package var column: Int
    /// The problem and what to do.
    package var message: String

    init(_ message: String, at offset: Int, in bytes: [UInt8]) {
        let before = bytes.prefix(offset)
        let newline = UInt8(ascii: "\n")
        self.message = message
        self.offset = offset
        line = before.count { $0 == newline } + 1
        column = offset - (before.lastIndex(of: newline) ?? -1)
    }

    package var description: String { "line \(line), column \(column): \(message)" }
}
