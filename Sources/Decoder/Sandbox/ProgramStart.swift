import CLinux
import Glibc
package import Values

/// The start of another program that inherits nothing from this process but one socket and its arguments.
package enum ProgramStart {
    /// Starts a program. `control` becomes its standard input and /dev/null its standard output. It shares our standard
    /// error.
    package static func start(
        _ path: String,
        arguments: [String] = [],
        environment: [String],
        control: PacketSocket,
    ) throws(SystemError) -> Int32 {
        let argumentPointers = unsafe pointers(to: [path] + arguments)
        let environmentPointers = unsafe pointers(to: environment)
        defer { unsafe (argumentPointers + environmentPointers).forEach { unsafe free($0) } }
        let pid = unsafe clinux_start_program(path, argumentPointers, environmentPointers, control.descriptor)
        guard pid > 0 else { throw SystemError("posix_spawn") }
        return pid
    }

    /// Returns copies for C, with a null pointer at the end. The caller frees them.
    private static func pointers(to texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        unsafe texts.map { unsafe strdup($0) } + [nil]
    }
}
