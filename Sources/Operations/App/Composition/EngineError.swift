import Glibc
import NIOCore

/// The reason why attachd cannot start.
package struct EngineError: Error, Sendable, CustomStringConvertible {
    /// A Boolean value that indicates whether the cause is the store, for example a folder that is not writable.
    package var isStore: Bool
    /// A Boolean value that indicates whether the cause is a file that the configuration names.
    package var isMisconfigured = false
    package var description: String
}

extension EngineError {
    /// Creates the error of an address that attachd cannot listen on, or returns `nil` for errors of another kind.
    init?(cannotListen error: IOError, host: String, port: Int) {
        let address = "\(host.contains(":") ? "[\(host)]" : host):\(port)"
        let reason: String
        switch error.errnoCode {
        case EADDRINUSE: reason = "Another program uses it. Stop that one, or choose another port with --listen."
        case EADDRNOTAVAIL: reason = "This machine has no such address. Name one of its own with --listen."
        case EACCES: reason = "Only the superuser may listen on ports below 1024. Choose another one with --listen."
        default: return nil
        }
        self.init(isStore: false, description: "attachd cannot listen on \(address). \(reason)")
    }
}
