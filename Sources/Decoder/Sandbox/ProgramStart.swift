import CLinux
import Glibc

/// Starts another program that gets nothing of this process but one socket, and what is said here.
package enum ProgramStart {
    /// `control` becomes its standard input, /dev/null its standard output. It shares our standard error.
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

    /// Copies for C, to be freed by the caller, with the null pointer at the end that C looks for.
    private static func pointers(to texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        unsafe texts.map { unsafe strdup($0) } + [nil]
    }
}
