import Base
import Files
package import Jobs
package import Logging
import Media
import Observability
import Storage
package import Settings

extension Settings {
    /// Opens the queue that the settings name. At each connection, logs the risks in the configuration of the queue's
    /// server. With strict settings, refuses to work with such a server.
    ///
    /// With `isWorker`, sets the queue's limits for all, and asks no server yet: see `QueueStart`.
    package func openQueue(
        isWorker: Bool = false,
        logger: Logger = Logger(label: "attachd"),
    ) async throws -> any JobQueue {
        let shares = TenantShares(
            of: self.backlog,
            percentage: self.tenantShare,
            listed: tenants.mapValues(\.share),
        )
        let queue = try await self.queue.open(
            QueueLimits(backlog: self.backlog, backlogBytes: self.backlogBytes, shares: shares),
            isStrict: self.isStrict,
            isGuest: !isWorker,
            recorder: QueueObserver(log: logger),
        )
        if !isWorker { try await queue.checkServer() }
        return queue
    }
}

extension JobQueue {
    /// Closes the queue. Does not wait for long: a disk that hangs must not keep the process from ending, and the queue
    /// survives the end of a process at any moment.
    package func shutDown() async {
        await SystemTime().answer(by: SystemTime().now + .seconds(1)) {
            await close()
        } else: {
        }
    }
}

// MARK: - Views

/// A queue for listing and repair by commands. If another attachd process has the queue's file open, the view is read-only.
package struct QueueView: Sendable {
    package let listing: any QueueListing
    /// The queue to change; `nil` if the view is read-only.
    private let queue: (any JobQueue)?

    /// Opens the queue. Commands that change jobs set `changes`, and need the file for themselves.
    package static func open(_ settings: Settings, changes: Bool) async throws -> QueueView {
        if !changes, let listing = try settings.queue.listing() { return QueueView(listing: listing, queue: nil) }
        let queue = try await settings.openQueue()
        return QueueView(listing: queue, queue: queue)
    }

    package func shutDown() async { await queue?.shutDown() }

    /// Returns the queue to change. Throws if the view is read-only.
    package func changeable() throws(JobQueueError) -> any JobQueue {
        guard let queue else { throw JobQueueError(.misconfigured, "The queue is open for reading only.") }
        return queue
    }
}

// MARK: - Reports

extension Diagnosis.QueueReport {
    /// Looks at the queue that the settings name, and describes it. Adds nothing to it.
    init(of settings: Settings) async {
        let address = settings.queue.withoutSecrets
        do {
            let details = try await settings.queue.describe(isStrict: settings.isStrict) { fleet in
                guard let keys = Self.keys(settings), try await !FleetKeys.fits(keys, fleet) else { return [] }
                return [.foreignKeys]
            }
            self.init(address: address, isUsable: true, details: details)
        } catch {
            self.init(address: address, isUsable: false, details: ["\(error)"])
        }
    }

    /// Returns this machine's signing keys, if it has any yet.
    private static func keys(_ settings: Settings) -> SigningKeys? {
        let file = settings.signingKeyFile ?? SecretFile("\(settings.store)/\(SigningKeys.fileName)")
        return try? SigningKeys(reading: file)
    }
}
