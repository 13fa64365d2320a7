import CSeccomp
import Glibc

/// The name of a system call, for logs and metrics.
package enum SystemCallName {
    /// Returns the name that this machine's architecture has for the number, or `unknown`: the number comes from a process
    /// that may lie, and there are only so many names.
    package static func name(of number: Int) -> String {
        guard let number = Int32(exactly: number),
            let name = unsafe seccomp_syscall_resolve_num_arch(UInt32(bitPattern: cseccomp_native), number)
        else { return "unknown" }
        defer { unsafe free(name) }
        return unsafe String(cString: name)
    }
}
