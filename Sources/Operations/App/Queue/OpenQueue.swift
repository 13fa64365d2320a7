package import Settings
import Instruments
package import Jobs
import JobsRedis
import JobsSQLite
package import Logging
import Media

/// A queue that this process has open.
package struct OpenQueue: Sendable {
    package let jobs: any JobQueue
    /// The queue in Redis, where the fleet shares more than jobs; `nil` for a queue in a file.
    let redis: RedisJobQueue?
    private let close: @Sendable () async -> Void

    /// Opens the queue that the settings name. At each connection, logs the risks in the configuration of the queue's
    /// server. With strict settings, refuses to work with such a server.
    ///
    /// With `isWorker`, sets the queue's limits for all, and asks no server yet: see `checkServer`.
    package static func open(
        _ settings: Settings,
        isWorker: Bool = false,
        logger: Logger,
    ) async throws -> OpenQueue {
        let limits = QueueLimits(
            backlog: settings.backlog,
            shares: TenantShares(
                of: settings.backlog,
                percentage: settings.tenantShare,
                listed: settings.tenants.mapValues(\.share),
            ),
        )
        switch settings.queue {
        case .sqlite(let path):
            let queue = try await SQLiteJobQueue.open(path, limits: limits, instrument: QueueLog(logger))
            return OpenQueue(jobs: queue, redis: nil, close: { await queue.close() })
        case .redis(let redis):
            let queue = try RedisJobQueue(
                redis,
                limits: limits,
                isStrict: settings.isStrict,
                isGuest: !isWorker,
                instrument: QueueLog(logger),
            )
            if !isWorker { _ = try await queue.serverWarnings() }
            return OpenQueue(jobs: queue, redis: queue, close: {})
        }
    }

    /// Asks the queue's server for the first time. Throws if it is not suited to the queue. If it cannot be reached, the
    /// queue connects once it answers.
    func checkServer(logger: Logger) async throws {
        do {
            _ = try await redis?.serverWarnings()
        } catch let error as JobQueueError where error.reason == .unavailable {
            logger.warning(
                "The queue cannot be reached. Its server is tried again later.",
                metadata: ["reason": "\(error)"]
            )
        }
    }

    /// Closes the queue. It must not be used afterwards.
    package func shutDown() async { await close() }
}
