import Glibc

/// A call of the kernel that failed.
package struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
    package var call: String
    /// As in `errno`.
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
