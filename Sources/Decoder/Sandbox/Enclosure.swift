package import Base
import CLinux
package import DecoderWire
import Glibc

/// The rights that the zygote gives up once its libraries are loaded, for itself and for every process that it forks.
///
/// Giving them up takes about a millisecond, so the zygote does it once. Sharing the result is safe because the shared
/// root and network are empty.
package enum Enclosure {
    /// Gives up all rights that the host allows to give up.
    ///
    /// Throws if the process has more than one thread: it could neither fork nor leave its user namespace.
    package static func enter() throws(SystemError) -> SandboxReport {
        dieBeforeTheWorker()
        startThread()
        guard isSingleThreaded() else { throw SystemError("fork beside other threads", code: EDEADLK) }
        var report = SandboxReport()
        do throws(SystemError) {
            report[.threadLimit] = threadLimit(hasOwnUsers: try enterNamespaces())
            report[.emptyNetwork] = .on
            report[.emptyRoot] = state(of: clinux_empty_root(), "pivot_root")
        } catch {
            report[.emptyNetwork] = .unavailable(error.description)
            report[.emptyRoot] = .unavailable(error.description)
            report[.threadLimit] = threadLimit(hasOwnUsers: false)
        }
        report[.noCapabilities] = state(of: clinux_drop_capabilities(), "capset")
        report[.noNewPrivileges] = state(of: clinux_process_control(PR_SET_NO_NEW_PRIVS, 1), "prctl")
        report[.landlock] = state(of: clinux_landlock(), "landlock")
        report[.notDumpable] = state(of: clinux_process_control(PR_SET_DUMPABLE, 0), "prctl")
        return report
    }

    /// Asks the kernel to end a decoder process before the worker when memory runs out: proc(5), `oom_score_adj`.
    ///
    /// The number is the worker's and 500 more, which everybody may do. Where it is not possible, the limit on each
    /// process's memory still holds.
    private static func dieBeforeTheWorker() {
        let descriptor = unsafe open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let digits = unsafe [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
            count = unsafe max(0, read(descriptor, buffer.baseAddress, buffer.count))
        }
        let own = Int(String(decoding: digits.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)) ?? 0
        let text = "\(min(1000, own + 500))"
        _ = unsafe pwrite(descriptor, text, text.utf8.count, 0)
    }

    /// Starts a thread, because the first one sets up signal handlers, which the filter does not allow a decoder
    /// process.
    private static func startThread() {
        var thread = pthread_t()
        guard unsafe pthread_create(&thread, nil, { _ in nil }, nil) == 0 else { return }
        pthread_join(thread, nil)
    }

    /// Returns `true` if this is the only thread. Waits a moment for the kernel to remove threads that were joined.
    private static func isSingleThreaded() -> Bool {
        for _ in 0..<1000 {
            var tasks = stat()
            // A folder's link count is two more than its number of folders, and each thread is a folder here.
            guard unsafe stat("/proc/self/task", &tasks) == 0 else { return false }
            if tasks.st_nlink == 3 { return true }
            usleep(1000)
        }
        return false
    }

    /// Returns `.on` if a limit on threads would count only those of the decoder processes. Linux counts by user
    /// namespace since 5.14, and never limits the superuser.
    private static func threadLimit(hasOwnUsers: Bool) -> SandboxReport.State {
        guard hasOwnUsers else { return .unavailable("no user namespace of its own") }
        guard getuid() != 0 else { return .unavailable("the superuser may have any number") }
        var system = utsname()
        guard unsafe uname(&system) == 0 else { return .unavailable("uname") }
        let release = unsafe withUnsafeBytes(of: &system.release) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        let version = release.split(separator: ".").prefix(2).compactMap { Int($0) }
        guard version.count == 2, (version[0], version[1]) >= (5, 14) else {
            return .unavailable("Linux before 5.14 counts all of the user's threads")
        }
        return .on
    }

    /// Enters new namespaces through a user namespace, or by the superuser's right if user namespaces are forbidden.
    /// Returns `true` if the process has its own user namespace.
    private static func enterNamespaces() throws(SystemError) -> Bool {
        let user = getuid()
        let group = getgid()
        if clinux_unshare(0) == 0 {
            // Without a mapping the process would own nothing, not even the empty folder that becomes its root.
            try write("deny", to: "/proc/self/setgroups")
            try write("\(user) \(user) 1", to: "/proc/self/uid_map")
            try write("\(group) \(group) 1", to: "/proc/self/gid_map")
            return true
        }
        guard clinux_unshare(1) == 0 else { throw SystemError("unshare") }
        return false
    }

    private static func write(_ text: String, to path: String) throws(SystemError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(path) }
        defer { close(descriptor) }
        guard unsafe Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count else { throw SystemError(path) }
    }

    private static func state(of result: Int32, _ call: String) -> SandboxReport.State {
        result == 0 ? .on : .unavailable(SystemError(call).description)
    }
}
