import Base
import Files
import Foundation
package import Jobs
import JobsRedis
import JobsSQLite
package import Logging
import Media
import Observability
import Processing
import Storage
package import Settings

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
        logger: Logger = Logger(label: "attachd"),
    ) async throws -> OpenQueue {
        let limits = QueueLimits(
            backlog: settings.backlog,
            backlogBytes: settings.backlogBytes,
            shares: TenantShares(
                of: settings.backlog,
                percentage: settings.tenantShare,
                listed: settings.tenants.mapValues(\.share),
            ),
        )
        switch settings.queue {
        case .sqlite(let path):
            let queue = try await SQLiteJobQueue.open(path, limits: limits, recorder: QueueObserver(log: logger))
            return OpenQueue(jobs: queue, redis: nil, close: { await queue.close() })
        case .redis(let redis):
            let queue = try RedisJobQueue(
                redis,
                limits: limits,
                isStrict: settings.isStrict,
                isGuest: !isWorker,
                recorder: QueueObserver(log: logger),
            )
            if !isWorker { _ = try await queue.serverWarnings() }
            return OpenQueue(jobs: queue, redis: queue, close: {})
        }
    }

    /// Asks the queue's server for the first time. Throws if it is not suited to the queue. If it cannot be reached, or
    /// its disk is full, the queue connects once it answers.
    func checkServer(logger: Logger) async throws {
        do {
            _ = try await redis?.serverWarnings()
        } catch let error as JobQueueError where error.reason == .unavailable || error.reason == .noSpace {
            logger.warning(
                "The queue cannot be reached. Its server is tried again later.",
                metadata: ["reason": "\(error)"]
            )
        }
    }

    /// Closes the queue. It must not be used afterwards. Does not wait for long: a disk that hangs must not keep the process
    /// from ending, and the queue survives the end of a process at any moment.
    package func shutDown() async {
        await SystemTime().answer(by: SystemTime().now + .seconds(1)) { [close] in
            await close()
        } else: {
        }
    }
}

// MARK: - Views

/// A queue for listing and repair by commands. If another attachd process has the file open, the view is read-only.
package struct QueueView: Sendable {
    package let listing: any QueueListing
    /// The queue to change; `nil` if the view is read-only.
    private let queue: OpenQueue?

    /// Opens the queue. Commands that change jobs set `changes`, and need the file for themselves.
    package static func open(_ settings: Settings, changes: Bool) async throws -> QueueView {
        if case .sqlite(let path) = settings.queue, !changes {
            return QueueView(listing: try QueueInspection(path), queue: nil)
        }
        let queue = try await OpenQueue.open(settings)
        return QueueView(listing: queue.jobs, queue: queue)
    }

    package func shutDown() async { await queue?.shutDown() }

    /// Returns the queue to change. Throws if the view is read-only.
    package func changeable() throws(JobQueueError) -> any JobQueue {
        guard let queue else {
            throw JobQueueError(.misconfigured, "The queue is open for reading only.")
        }
        return queue.jobs
    }
}

// MARK: - Reports

extension Diagnosis.QueueReport {
    /// Looks at the queue that the settings name, and describes it. Adds nothing to it.
    init(of settings: Settings) async {
        let address = settings.queue.withoutSecrets
        do {
            let details =
                switch settings.queue {
                case .redis(let redis): try await Self.details(of: redis, settings)
                case .sqlite(let path): try await Self.details(ofFile: path)
                }
            self.init(address: address, isUsable: true, details: details)
        } catch {
            self.init(address: address, isUsable: false, details: ["\(error)"])
        }
    }

    /// Connects to a server and describes it, with the risks of its configuration.
    private static func details(of redis: RedisSettings, _ settings: Settings) async throws -> [String] {
        let queue = try RedisJobQueue(
            redis,
            limits: QueueLimits(backlog: settings.backlog),
            isStrict: settings.isStrict,
            isGuest: true,
        )
        let description = try await queue.serverDescription()
        var details = [description] + (try await queue.serverWarnings())
        if let keys = keys(settings), try await !FleetKeys.fits(keys, queue) {
            details.append(QueueWarning.foreignKeys.description)
        }
        try? await queue.leave()
        return details
    }

    /// Returns this machine's signing keys, if it has any yet.
    private static func keys(_ settings: Settings) -> SigningKeys? {
        let file = settings.signingKeyFile ?? SecretFile("\(settings.store)/\(SigningKeys.fileName)")
        return try? SigningKeys(reading: file)
    }

    /// Describes the queue in a file, which another process may work with.
    private static func details(ofFile path: String) async throws -> [String] {
        guard FileManager.default.fileExists(atPath: path) else {
            let folder = URL(filePath: path).deletingLastPathComponent().path
            guard FileManager.default.isWritableFile(atPath: folder) else {
                let reason = "There is no queue at \(path), and it cannot be created: "
                throw JobQueueError(.noSpace, reason + "check that \(folder) exists and allows new files.")
            }
            return ["its file is created at the first start"]
        }
        let status = try await QueueInspection(path).status()
        return ["\(status.waiting) jobs wait, \(status.running) are in progress, \(status.dead) are dead letters"]
    }
}
