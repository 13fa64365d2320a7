import CLinux
import Foundation
import Glibc
import Media
import Timing

/// The end of the process after SIGTERM or SIGINT: orderly if possible, and always within a time limit.
enum Termination {
    /// The time for notifications and jobs under way to finish. Then they are cancelled.
    static let drainTime: Duration = .seconds(18)
    /// The time for jobs of the queue to finish that a decoder has begun. Then they go back to the queue, and those that are
    /// due within two more seconds are answered. `podman stop` kills the process after 10 seconds.
    static let jobDrainTime: Duration = .seconds(5)
    /// The time until the process ends in any case. systemd and Kubernetes kill it after 30 seconds.
    private static let limit: Duration = .seconds(20)

    /// Calls `onSignal` at the first signal, and ends the process if it still runs at the time limit. The thread
    /// depends on no other part of the process.
    static func watch(onSignal: @escaping @Sendable () -> Void) throws(EngineError) {
        let descriptor = eventfd(0, Int32(EFD_CLOEXEC))
        guard descriptor >= 0, clinux_watch_termination(descriptor) == 0 else {
            throw EngineError(
                isStore: false,
                description:
                    "attachd cannot watch for SIGTERM, so it could not stop in order. Check the limits of the process."
            )
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
        let cause = loops.isEmpty ? "" : " These internal loops have stalled: \(loops.joined(separator: ", "))."
        let line = Array("attachd did not stop within \(limit.components.seconds) s and is ended.\(cause)\n".utf8)
        // A full pipe whose reader hangs must not delay the end.
        var output = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
        if unsafe poll(&output, 1, 0) == 1 {
            unsafe line.withUnsafeBytes { bytes in _ = unsafe write(2, bytes.baseAddress, bytes.count) }
        }
        _exit(1)
    }
}
