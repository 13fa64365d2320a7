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
    package func reap() -> ProcessEnding? {
        var killed: Int32 = 0
        var status: Int32 = 0
        guard unsafe clinux_reap(descriptor, &killed, &status) == 1 else { return nil }
        return killed != 0 ? .killed(signal: Int(status)) : .exited(status: Int(status))
    }
}
