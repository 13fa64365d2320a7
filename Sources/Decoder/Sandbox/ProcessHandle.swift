import CLinux
package import DecoderWire
import Glibc

/// One process, and never another that got its number later.
package final class ProcessHandle: Sendable {
    /// Readable once the process has ended.
    package let descriptor: Int32

    /// Takes over a descriptor of a process, as `pidfd_open` makes them.
    package init(adopting descriptor: Int32) { self.descriptor = descriptor }

    package init(pid: Int32) throws(SystemError) {
        descriptor = clinux_open_process(pid)
        guard descriptor >= 0 else { throw SystemError("pidfd_open") }
    }

    deinit { close(descriptor) }

    /// Ends the process, if it hasn't ended already.
    package func kill() { _ = clinux_kill(descriptor) }

    /// How it ended, once: only its parent may ask, and frees its place in the process table. `nil` while it runs.
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
