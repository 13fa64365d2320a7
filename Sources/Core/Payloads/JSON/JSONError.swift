/// Why bytes are not JSON, and where.
package struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Counted in bytes from 0.
    package var offset: Int
    /// Counted from 1; columns are bytes.
    package var line: Int
    package var column: Int
    /// What is wrong, and what to do.
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
