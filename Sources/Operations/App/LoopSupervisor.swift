import Foundation
import Logging
import Media
import NIOCore
import NIOPosix
import Synchronization
import Timing

/// Asks the loops that all work needs for a sign of life, and logs those that give none.
final class LoopSupervisor: Sendable {
    private let heartbeats: LoopHeartbeats
    private let logger: Logger
    private let stalled = Mutex<Set<String>>([])
    /// The threads that HTTP and Redis share.
    private let network: [LoopHeartbeat]

    init(_ heartbeats: LoopHeartbeats = .ofThisProcess, logger: Logger) {
        self.heartbeats = heartbeats
        self.logger = logger
        network = MultiThreadedEventLoopGroup.singleton.makeIterator().map { loop in
            LoopHeartbeat("network", in: heartbeats) { loop.execute($0) }
        }
    }

    /// Looks twice a second, as long as this object lives, from a thread of its own: those of Swift's pool may all stand.
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
            logger.critical("A loop stands still. What needs it waits until it goes on.", metadata: ["loop": "\(name)"])
        }
        for name in before.subtracting(now).sorted() {
            logger.notice("A loop that stood still goes on.", metadata: ["loop": "\(name)"])
        }
    }
}
