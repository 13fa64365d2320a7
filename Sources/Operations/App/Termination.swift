import CLinux
import Foundation
import Glibc
import Media
import Timing

/// The end of the process after SIGTERM or SIGINT: orderly while that is possible, and in time whatever happens.
enum Termination {
    /// How long notifications and jobs under way may go on. Then they are cancelled.
    static let drainTime: Duration = .seconds(18)
    /// How long jobs of the queue may. Those that are not done by then are answered with the original.
    static let jobDrainTime: Duration = .seconds(15)
    /// How long the process may go on. systemd and Kubernetes kill after 30 s.
    private static let limit: Duration = .seconds(20)

    /// Calls `onSignal` at the first of the signals, on a thread that needs nothing of the rest of the process, and ends the
    /// process if it is still there when its time is up.
    static func watch(onSignal: @escaping @Sendable () -> Void) throws(EngineError) {
        let descriptor = eventfd(0, Int32(EFD_CLOEXEC))
        guard descriptor >= 0, clinux_watch_termination(descriptor) == 0 else {
            throw EngineError(isStore: false, description: "SIGTERM cannot be watched for: error \(errno).")
        }
        Thread.detachNewThread {
            setThreadName("termination")
            var count: eventfd_t = 0
            while unsafe eventfd_read(descriptor, &count) != 0 {}
            onSignal()
            Thread.sleep(forTimeInterval: limit / .seconds(1))
            end()
        }
    }

    private static func end() -> Never {
        let loops = LoopHeartbeats.ofThisProcess.stalledNames
        let cause = loops.isEmpty ? "" : " These loops stand still: \(loops.joined(separator: ", "))."
        let line = Array("attachd did not stop within \(limit.components.seconds) s and is ended.\(cause)\n".utf8)
        // A full pipe whose reader has gone to sleep must not hold up the end.
        var output = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
        if unsafe poll(&output, 1, 0) == 1 {
            unsafe line.withUnsafeBytes { bytes in _ = unsafe write(2, bytes.baseAddress, bytes.count) }
        }
        _exit(1)
    }
}
