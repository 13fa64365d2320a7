package import Jobs
import JobsRedis
import JobsSQLite
package import Logging
import Media

/// A queue that this process works with.
package struct OpenQueue: Sendable {
    package let jobs: any JobQueue
    private let close: @Sendable () async -> Void

    /// Opens the queue that the settings name. At each connection, logs what its server's configuration puts at risk;
    /// refuses to work with such a server if the settings are strict.
    ///
    /// `mayBeAway` gives a queue whose server can't be reached, too: it is connected to once it answers.
    package static func open(
        _ settings: Settings,
        mayBeAway: Bool = false,
        logger: Logger,
    ) async throws -> OpenQueue {
        let limits = QueueLimits(backlog: settings.backlog)
        switch settings.queue {
        case .sqlite(let path):
            let queue = try await SQLiteJobQueue.open(path, limits: limits) { troubles in
                for trouble in troubles {
                    logger.error("The queue is in trouble.", metadata: ["reason": "\(trouble)"])
                }
                if troubles.isEmpty { logger.notice("The queue is well again.") }
            }
            return OpenQueue(jobs: queue, close: { await queue.close() })
        case .redis(let redis):
            let queue = try RedisJobQueue(
                redis,
                limits: limits,
                isStrict: settings.isStrict,
                onWarning: { logger.warning("Jobs may be lost.", metadata: ["reason": "\($0)"]) },
            )
            do {
                _ = try await queue.serverWarnings()
            } catch let error as JobQueueError where mayBeAway && error.reason == .unavailable {
                logger.warning("The queue is away, and is connected to later.", metadata: ["reason": "\(error)"])
            }
            return OpenQueue(jobs: queue, close: {})
        }
    }

    /// Nobody may use the queue any more.
    package func shutDown() async { await close() }
}
