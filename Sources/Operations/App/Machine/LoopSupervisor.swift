import Foundation
import Logging
import Media
import NIOCore
import NIOPosix
import Synchronization
import Timing

/// A supervisor that asks the essential loops for a sign of life, and logs those that have stalled.
final class LoopSupervisor: Sendable {
    private let heartbeats: LoopHeartbeats
    private let logger: Logger
    private let stalled = Mutex<Set<String>>([])
    /// The heartbeats of the threads that HTTP and Redis share.
    private let network: [LoopHeartbeat]

    init(_ heartbeats: LoopHeartbeats = .ofThisProcess, logger: Logger) {
        self.heartbeats = heartbeats
        self.logger = logger
        network = MultiThreadedEventLoopGroup.singleton.makeIterator().map { loop in
            LoopHeartbeat("network", in: heartbeats) { loop.execute($0) }
        }
    }

    /// Starts the checks, twice a second for the lifetime of this object. They run on their own thread, because all
    /// threads of Swift's pool may be blocked.
    func start() {
        Thread.detachNewThread { [weak self] in
            setThreadName("supervisor")
            while let supervisor = self {
                supervisor.look()
                Thread.sleep(forTimeInterval: 0.5)
            }
        }
    }

    private func look() {
        heartbeats.beat()
        let now = Set(heartbeats.stalledNames)
        let before = stalled.withLock { stalled in
            defer { stalled = now }
            return stalled
        }
        for name in now.subtracting(before).sorted() {
            logger.critical(
                "An internal loop has stalled. Work that needs it waits until the loop continues.",
                metadata: ["loop": "\(name)"]
            )
        }
        for name in before.subtracting(now).sorted() {
            logger.notice("A stalled loop continues.", metadata: ["loop": "\(name)"])
        }
    }
}
