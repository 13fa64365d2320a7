package import Jobs
import JobsRedis
import JobsSQLite
package import Logging
import Media

/// A queue that this process works with.
package struct OpenQueue: Sendable {
    package let jobs: any JobQueue
    private let close: @Sendable () async -> Void

    /// Opens the queue that the settings name, and logs what its server's configuration puts at risk; refuses to work
    /// with such a server if the settings are strict.
    package static func open(_ settings: Settings, logger: Logger) async throws -> OpenQueue {
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
            let queue = try RedisJobQueue(redis, limits: limits)
            for warning in try await queue.serverWarnings(strict: settings.isStrict) {
                logger.warning("Jobs may be lost.", metadata: ["reason": "\(warning)"])
            }
            return OpenQueue(jobs: queue, close: {})
        }
    }

    /// Nobody may use the queue any more.
    package func shutDown() async { await close() }
}
