import Base
import CLinux
import CProcess
import CSeccomp
import DecoderWire
import Glibc

/// The rights that a decoder process gives up after its warm-up, before it reads its first untrusted byte.
enum Lockdown {
    /// Turns on every layer that the host has. `report` contains the layers that are on already.
    static func enter(_ limits: ProcessLimits, in report: SandboxReport) -> SandboxReport {
        var report = report
        report[.resourceLimits] = ResourceLimits.set(limits)
        if report[.threadLimit] == .on { report[.threadLimit] = ResourceLimits.setThreadLimit() }
        // The filter comes last, because it forbids the calls above.
        do throws(SystemError) {
            guard cprocess_report_forbidden_calls() == 0 else { throw SystemError("sigaction") }
            try SystemCallFilter.make().load()
            report[.systemCallFilter] = .on
        } catch {
            report[.systemCallFilter] = .unavailable(error.description)
        }
        return report
    }

    /// Makes the kernel kill this process when its zygote ends. Exits at once if `zygote` has already ended.
    static func dieWith(_ zygote: Int32) -> SandboxReport.State {
        guard clinux_process_control(PR_SET_PDEATHSIG, UInt(SIGKILL)) == 0 else {
            return .unavailable(SystemError("prctl").description)
        }
        // The zygote may have died before the call.
        if getppid() != zygote { _exit(1) }
        return .on
    }
}

// MARK: - System calls

/// The system calls that a decoder may make after its warm-up. Any other call is not made, is reported, and ends the
/// process.
///
/// The list was measured with about 2,400 good and broken files: the calls after the warm-up, the C library's
/// fallbacks, and calls that get an error because the libraries continue without them.
@safe
struct SystemCallFilter: ~Copyable {
    private static let allowed = [
        "futex", "read", "pread64", "write", "pwrite64", "lseek", "recvmsg", "sendmsg", "munmap", "madvise", "brk",
        "mremap", "close", "readv", "writev", "clock_gettime", "gettimeofday", "clock_nanosleep", "nanosleep",
        "sched_yield", "sched_getaffinity", "rt_sigprocmask", "rt_sigreturn", "restart_syscall", "rseq",
        "set_robust_list", "getpid", "gettid", "getrandom", "exit", "exit_group",
    ]

    /// The calls that get an error: those that take a path, and those that libraries can do without.
    private static let refused: [(code: Int32, calls: [String])] = [
        (
            EACCES,
            ["open", "openat", "openat2", "creat", "stat", "lstat", "fstat", "newfstatat", "access", "faccessat"]
        ),
        (
            EACCES,
            ["faccessat2", "readlink", "readlinkat", "unlink", "unlinkat", "getcwd", "getpriority", "setpriority"]
        ),
        (ENOSYS, ["clone3", "statx"]),
        (EPERM, ["sysinfo"]),
        (ENOTTY, ["ioctl"]),
    ]

    /// The flags of `pthread_create` in the GNU C library. `clone` is allowed only with exactly these, which make a
    /// thread.
    private static let threadFlags: UInt64 = 0x3D_0F00

    private let context: scmp_filter_ctx

    private init(adopting context: scmp_filter_ctx) { unsafe self.context = context }

    deinit { unsafe seccomp_release(context) }

    /// Makes the filter. It is not in force yet.
    ///
    /// A forbidden call is not made. It raises SIGSYS, whose handler names the call to the worker and ends the process. The
    /// handler cannot be replaced, because the filter forbids `rt_sigaction`, and the kernel ends a process that has blocked
    /// the signal. A call of another architecture ends the process without a handler.
    static func make() throws(SystemError) -> SystemCallFilter {
        guard let context = unsafe seccomp_init(cseccomp_trap) else { throw SystemError("seccomp_init") }
        let filter = unsafe SystemCallFilter(adopting: context)
        try filter.set(SCMP_FLTATR_ACT_BADARCH, to: cseccomp_kill_process)
        try filter.set(SCMP_FLTATR_CTL_TSYNC, to: 1)
        // A binary tree instead of a list is faster: the filter runs at every call.
        try filter.set(SCMP_FLTATR_CTL_OPTIMIZE, to: 2)
        for call in allowed { try filter.add(cseccomp_allow, call) }
        for (code, calls) in refused {
            for call in calls { try filter.add(cseccomp_errno(UInt16(code)), call) }
        }
        // Forbids new code.
        try filter.add(cseccomp_allow, "mmap", [without(UInt64(PROT_EXEC), in: 2)])
        try filter.add(cseccomp_allow, "mprotect", [without(UInt64(PROT_EXEC), in: 2)])
        try filter.add(cseccomp_allow, "clone", [equal(threadFlags, in: 0)])
        try filter.add(cseccomp_allow, "prctl", [equal(UInt64(PR_SET_NAME), in: 0)])
        // Allows reading limits, of this process only.
        try filter.add(cseccomp_allow, "prlimit64", [equal(0, in: 0), equal(0, in: 2)])
        return filter
    }

    /// Puts the filter in force for every thread, for good. The process may still abort itself. With another signal, it
    /// could pretend to have been killed from outside.
    consuming func load() throws(SystemError) {
        let isAbort = [Self.equal(UInt64(getpid()), in: 0), Self.equal(UInt64(SIGABRT), in: 2)]
        try add(cseccomp_allow, "tgkill", isAbort)
        let code = unsafe seccomp_load(context)
        guard code == 0 else { throw SystemError("seccomp_load", code: -code) }
    }

    private func set(_ attribute: scmp_filter_attr, to value: UInt32) throws(SystemError) {
        let code = unsafe seccomp_attr_set(context, attribute, value)
        guard code == 0 else { throw SystemError("seccomp_attr_set", code: -code) }
    }

    private func add(_ action: UInt32, _ call: String, _ conditions: [scmp_arg_cmp] = []) throws(SystemError) {
        let number = unsafe seccomp_syscall_resolve_name(call)
        // This architecture does not have the call.
        guard number >= 0 else { return }
        let code = unsafe seccomp_rule_add_array(context, action, number, UInt32(conditions.count), conditions)
        guard code == 0 else { throw SystemError("seccomp_rule_add", code: -code) }
    }

    private static func equal(_ value: UInt64, in argument: UInt32) -> scmp_arg_cmp {
        scmp_arg_cmp(arg: argument, op: SCMP_CMP_EQ, datum_a: value, datum_b: 0)
    }

    private static func without(_ bits: UInt64, in argument: UInt32) -> scmp_arg_cmp {
        scmp_arg_cmp(arg: argument, op: SCMP_CMP_MASKED_EQ, datum_a: bits, datum_b: 0)
    }
}

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
