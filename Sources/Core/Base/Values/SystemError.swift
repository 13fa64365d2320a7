import Glibc

/// The error of a system call.
package struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
    package var call: String
    /// The value of `errno`.
    package var code: Int32

    package init(_ call: String, code: Int32 = errno) {
        self.call = call
        self.code = code
    }

    /// The system's text for the code, such as "Permission denied".
    package var reason: String {
        guard let text = unsafe strerror(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }

    package var description: String { "\(call): \(reason)" }
}
