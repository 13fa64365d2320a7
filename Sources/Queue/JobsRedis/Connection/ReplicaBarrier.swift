import Concurrency
import Media
import Synchronization
import Timing

/// A barrier that lets callers pass once the replicas have all changes made so far on one connection's server.
///
/// Redis answers before its replicas have a change. They receive changes in the order in which these were made, so one
/// wait confirms everything before it: one wait is in progress at a time, and callers that come meanwhile share the next
/// one. The wait is for every replica that follows the server or did so seconds ago, because sentinels choose the next
/// primary by what they knew of the replicas seconds ago: with one confirmation of two replicas they may promote the
/// other one.
final class ReplicaBarrier: Sendable {
    /// The time for which the server blocks the connection, and all commands behind the wait.
    private static let blockTime = Duration.milliseconds(200)

    private struct State {
        var waiters: [OneShot<Result<Void, any Error>>] = []
        var isWaiting = false
        /// The number of replicas at the last wait.
        var replicas = 1
    }

    private let link: Link
    /// The identifier of the server's history when the connection was opened.
    private let history: Substring?
    private let settings: RedisSettings
    /// The number of replicas that must confirm. It outlives this connection.
    private let replicaCount: ReplicaCount
    private let state = Mutex(State())

    init(_ link: Link, _ history: Substring?, _ settings: RedisSettings, _ replicaCount: ReplicaCount) {
        self.link = link
        self.history = history
        self.settings = settings
        self.replicaCount = replicaCount
    }

    /// Returns when the replicas have all changes that were acknowledged before this call. Throws
    /// `RedisError.unconfirmed` if they do not have them in time, or may never have them.
    func pass() async throws {
        let waiter = OneShot<Result<Void, any Error>>()
        let begins = state.withLock { state in
            defer { state.isWaiting = true }
            state.waiters.append(waiter)
            return !state.isWaiting
        }
        if begins { Task { await wait() } }
        try await waiter.get()
    }

    private func wait() async {
        while true {
            let waiters = state.withLock { state in
                defer { state.waiters = [] }
                state.isWaiting = !state.waiters.isEmpty
                return state.waiters
            }
            if waiters.isEmpty { return }
            let result: Result<Void, any Error>
            do {
                try await confirm()
                result = .success(())
            } catch RedisError.unconfirmed(let reason) {
                result = .failure(RedisError.unconfirmed(reason))
            } catch {
                result = .failure(RedisError.unconfirmed("The connection was lost before they confirmed it."))
            }
            for waiter in waiters { waiter.set(result) }
        }
    }

    private func confirm() async throws {
        let deadline = link.time.now + settings.replicationLimit
        while true {
            let expected = state.withLock(\.replicas)
            // WAIT is about this connection's own changes. This one comes after those of all others.
            let mark = RedisCommand("HSET", "\(settings.prefix)meta", "confirmed", "1")
            let wait = RedisCommand("WAIT", "\(expected)", "\(Self.blockTime.milliseconds)")
            let replies = try await link.exchange(
                [mark, wait, RedisCommand("INFO", "replication")],
                within: settings.timeLimit + Self.blockTime
            )
            let info = ServerInfo(replies[2].text ?? "")
            guard info.isPrimary, info.history == history else {
                throw RedisError.unconfirmed("It is no longer the primary.")
            }
            let (confirmed, following) = (replies[1].integer ?? 0, info.replicas)
            state.withLock { $0.replicas = max(1, following) }
            let required = replicaCount.required(following: following, history: history, at: link.time.now)
            if confirmed >= required { return }
            guard following > 0 else { throw RedisError.unconfirmed("No replica follows it.") }
            guard following >= required else {
                throw RedisError.unconfirmed(
                    "One of its \(required) replicas has just left, and may be the next primary."
                )
            }
            guard link.time.now < deadline else {
                throw RedisError.unconfirmed("Of \(following) replicas, \(confirmed) confirmed it in time.")
            }
        }
    }
}
