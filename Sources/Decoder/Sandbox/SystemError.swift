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

    package var description: String {
        guard let text = unsafe strerror(code) else { return "\(call): errno \(code)" }
        return unsafe "\(call): \(String(cString: text))"
    }
}
