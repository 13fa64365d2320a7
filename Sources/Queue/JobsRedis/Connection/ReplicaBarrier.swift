import Base
import Media
import Synchronization

/// A barrier that lets callers pass once the replicas have all changes made so far on one connection's server.
///
/// Redis answers before its replicas have a change. Replicas receive changes in order, so one wait confirms all earlier
/// changes: one wait is in progress at a time, and callers that arrive meanwhile share the next one. A wait includes every
/// replica that follows the server, and every replica that sentinels may promote, because sentinels choose the next primary
/// from information that is seconds old. A replica that is being promoted no longer follows, while the others still follow
/// the old primary and confirm changes that the new primary will never have.
final class ReplicaBarrier: Sendable {
    /// The time for which the server blocks the connection, and all commands behind the wait.
    private static let blockTime = Duration.milliseconds(200)

    private struct State {
        var waiters: [OneShot<Result<Void, any Error>>] = []
        var isWaiting = false
        /// The number of replicas that must confirm: at least one.
        var required: Int
    }

    private let link: Link
    private let finder: PrimaryFinder
    /// The identifier of the server's history when the connection was opened.
    private let history: Substring?
    private let settings: RedisSettings
    private let state: Mutex<State>

    /// Creates a barrier for a server with this description, in whose place sentinels may promote `promotable` replicas.
    init(_ link: Link, _ finder: PrimaryFinder, _ info: ServerInfo, promotable: Int, _ settings: RedisSettings) {
        self.link = link
        self.finder = finder
        self.settings = settings
        history = info.history
        state = Mutex(State(required: max(1, info.replicas, promotable)))
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
            let expected = state.withLock(\.required)
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
            let required = following >= expected ? following : max(1, following, try await promotable())
            state.withLock { $0.required = required }
            if confirmed >= required { return }
            guard following > 0 else { throw RedisError.unconfirmed("No replica follows it.") }
            guard following >= required else {
                throw RedisError.unconfirmed(
                    "Of the \(required) replicas that the sentinels may promote, only \(following) follow it now."
                )
            }
            guard link.time.now < deadline else {
                throw RedisError.unconfirmed("Of \(following) replicas, \(confirmed) confirmed it in time.")
            }
        }
    }

    private func promotable() async throws -> Int {
        do {
            return try await finder.promotable(inPlaceOf: link.server)
        } catch let error as RedisError {
            throw RedisError.unconfirmed(
                "A replica has left, and the sentinels did not tell which may be promoted. \(error)"
            )
        }
    }
}
