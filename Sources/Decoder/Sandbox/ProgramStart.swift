package import Base
import CLinux
package import DecoderWire
import Glibc

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

/// A handle of one process, which never refers to a later process with the same number.
package final class ProcessHandle: Sendable {
    /// The process's descriptor. It is readable once the process has ended.
    package let descriptor: Int32

    /// Takes ownership of a process descriptor, as made by `pidfd_open`.
    package init(adopting descriptor: Int32) { self.descriptor = descriptor }

    package init(pid: Int32) throws(SystemError) {
        descriptor = clinux_open_process(pid)
        guard descriptor >= 0 else { throw SystemError("pidfd_open") }
    }

    deinit { close(descriptor) }

    /// Kills the process if it still runs.
    package func kill() { _ = clinux_kill(descriptor) }

    /// Returns the way the process ended, or `nil` while it runs. Only its parent may call this, and only once: it
    /// frees the process's entry in the process table.
    package func reap() -> (ending: ProcessEnding, usage: ProcessUsage)? {
        var end = clinux_end()
        guard unsafe clinux_reap(descriptor, &end) == 1 else { return nil }
        let status = Int(end.status)
        let usage = ProcessUsage(
            processorMicroseconds: end.processor_microseconds,
            peakMemoryBytes: end.peak_kibibytes * 1024,
        )
        return (end.killed != 0 ? .killed(signal: status) : .exited(status: status), usage)
    }
}
