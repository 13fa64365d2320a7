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
    init(cannotListen error: IOError, host: String, port: Int) {
        let place = "\(host.contains(":") ? "[\(host)]" : host):\(port)"
        let reason =
            switch error.errnoCode {
            case EADDRINUSE: "another program uses it. Stop that one, or choose another port with --listen."
            case EADDRNOTAVAIL: "this machine has no such address. Name one of its own with --listen."
            case EACCES: "only the superuser may listen on ports below 1024. Choose another one with --listen."
            default: "\(error)."
            }
        self.init(isStore: false, description: "attachd cannot listen on \(place): \(reason)")
    }
}
