import CLinux
package import DecoderWire
import Glibc
package import Values

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
