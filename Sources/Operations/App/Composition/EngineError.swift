import Glibc
import Sidecar
import Values

/// The reason why attachd cannot start.
package struct EngineError: Error, Sendable, CustomStringConvertible {
    /// A Boolean value that indicates whether the cause is the store, for example a folder that is not writable.
    package var isStore: Bool
    /// A Boolean value that indicates whether the cause is a file that the configuration names.
    package var isMisconfigured = false
    package var description: String
}

extension EngineError {
    /// Creates the error of an address that attachd cannot listen on.
    init(_ error: ListenError) {
        let reason =
            switch error.code {
            case EADDRINUSE: "Another program uses it. Stop that one, or choose another port."
            case EADDRNOTAVAIL: "This machine has no such address. Name one of its own."
            case EACCES: "Only the superuser may listen on ports below 1024. Choose another one."
            default: "\(SystemError("listen", code: error.code).reason)."
            }
        self.init(isStore: false, description: "Cannot listen on \(error.address). \(reason)")
    }
}
