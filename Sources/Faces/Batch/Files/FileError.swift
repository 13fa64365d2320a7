import Glibc

/// A file operation that failed.
package struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
    package var operation: String
    package var path: String
    package var code: Int32

    init(_ operation: String, _ path: String, _ code: Int32 = errno) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// A Boolean value that indicates whether the disk is full, so that other files cannot be written either.
    package var isFull: Bool { code == ENOSPC || code == EDQUOT }

    package var reason: String { unsafe String(cString: strerror(code)) }

    package var description: String { "Cannot \(operation) \(path): \(reason)" }
}
