import Base
import CLinux
import Foundation
import Glibc
import Media
import ServiceLifecycle

/// The end of the process after SIGTERM or SIGINT: orderly if possible, and always within a time limit.
enum Termination {
    /// The time that notifications in progress have to finish. Then they are cancelled.
    static let grace: Duration = .seconds(18)
    /// The time in which their last attachments are decoded and stored.
    static let lastTime: Duration = .seconds(2)
    /// The time for which a worker without clients waits for downloads: all its jobs can go to other workers.
    static let downloadTime: Duration = .seconds(6)
    /// The time that jobs of the queue have to finish after a decoder has begun them. Then they go back to the queue, except
    /// jobs that are due within two more seconds, which are answered. `podman stop` kills the process after 10 seconds.
    static let jobDrainTime: Duration = .seconds(5)
    /// The time until the process ends in any case. systemd and Kubernetes kill it after 30 seconds.
    private static let limit: Duration = .seconds(20)

    /// Calls `onSignal` at the first signal, and `onEnd` when requests stop coming: after `drain`, or at once for SIGINT and
    /// at a second signal. Ends the process if it still runs at the time limit. The thread depends on no other part of
    /// the process.
    static func watch(
        drain: Duration,
        onSignal: @escaping @Sendable () -> Void,
        onEnd: @escaping @Sendable () -> Void,
    ) throws(EngineError) {
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
            var signals: eventfd_t = 0
            while unsafe eventfd_read(descriptor, &signals) != 0 {}
            let end = SystemTime().now + limit
            onSignal()
            if signals == eventfd_t(SIGTERM), drain > .zero {
                var next = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = unsafe poll(&next, 1, CInt(drain.milliseconds))
            }
            onEnd()
            Thread.sleep(forTimeInterval: max(.zero, end - SystemTime().now) / .seconds(1))
            Self.end()
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

// MARK: - Open files

/// The limit on open files and connections of this process.
package enum OpenFiles {
    /// The limit that is enough for any sidecar.
    private static let ceiling: rlim_t = 65_536
    /// The descriptors of one notification: connection, source, outputs, and the decoder's sockets, with a reserve.
    private static let perNotification = 8
    private static let rest = 256

    /// Raises the limit as far as the host allows, and returns the number of simultaneous downloads that fit beside the
    /// notifications. A download takes a connection and, at worst, a file.
    static func downloads(beside notifications: Int) -> Int {
        let left = raise() - perNotification * notifications - rest
        return min(4096, max(64, left / 2))
    }

    /// Raises the limit as far as the host allows, and returns the new limit.
    @discardableResult
    package static func raise() -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return 0 }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, ceiling))
        unsafe setrlimit(resource, &limit)
        unsafe getrlimit(resource, &limit)
        return Int(min(limit.rlim_cur, ceiling))
    }
}

// MARK: - Orphans

/// A service that waits for orphans, as process 1 of a container must.
struct OrphanReaper: Service {
    let time: any TimeSource
    private static let interval = Duration.seconds(2)

    /// A Boolean value that indicates whether orphans become children of this process.
    static var isNeeded: Bool { getpid() == 1 }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var zombies = Zombies()
            while (try? await time.sleep(for: Self.interval)) != nil { _ = zombies.reap() }
        }
    }
}
