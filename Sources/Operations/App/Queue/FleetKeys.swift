import Base
import Jobs
import JobsRedis
import Logging
import Media
import Processing
import ServiceLifecycle
import Storage
import Synchronization

/// The comparison of this process's signing keys with those of the fleet: with other keys, another process refuses the links
/// that this one signs, and receivers get posts signed by several keys.
///
/// The queue's Redis has the fingerprint of the key that the fleet signs with. The first process sets it, and one that has it
/// as its old key replaces it.
final class FleetKeys: Service {
    private let keyring: Replaceable<SigningKeys>
    private let redis: RedisJobQueue?
    private let time: any TimeSource
    private let logger: Logger
    private let isForeign = Atomic(false)

    /// The time between two comparisons.
    private static let interval: Duration = .seconds(5)
    private static let timeLimit: Duration = .seconds(2)
    private static let entry = "keys"

    init(
        _ keyring: Replaceable<SigningKeys>,
        _ redis: RedisJobQueue?,
        time: any TimeSource = SystemTime(),
        logger: Logger,
    ) {
        self.keyring = keyring
        self.redis = redis
        self.time = time
        self.logger = logger
    }

    /// The problem, if the fleet signs with a key that this process does not have.
    var warnings: Set<QueueWarning> { isForeign.load(ordering: .relaxed) ? [.foreignKeys] : [] }

    func run() async throws {
        guard redis != nil else { return try await gracefulShutdown() }
        await cancelWhenGracefulShutdown { [self] in
            repeat { await compare() } while (try? await time.sleep(for: Self.interval)) != nil
        }
    }

    /// Throws if the fleet signs with a key that this process does not have.
    func insist() async throws(JobQueueError) {
        await compare()
        if !warnings.isEmpty { throw JobQueueError(.misconfigured, QueueWarning.foreignKeys.description) }
    }

    /// Compares the keys. If Redis does not answer, what was found before goes on to hold.
    func compare() async {
        guard let redis else { return }
        let keys = keyring.current
        let isKnown = await time.answer(by: time.now + Self.timeLimit) {
            try? await Self.isKnown(keys, in: redis)
        } else: {
            nil
        }
        guard let isKnown else { return }
        let wasForeign = isForeign.exchange(!isKnown, ordering: .relaxed)
        guard !isKnown, !wasForeign else { return }
        logger.warning(
            "The fleet signs with another key than this process.",
            metadata: ["reason": "\(QueueWarning.foreignKeys)"]
        )
    }

    /// Returns whether the fleet's key is among `keys`. Stores the current key if the fleet has none, or the previous one.
    private static func isKnown(_ keys: SigningKeys, in redis: RedisJobQueue) async throws -> Bool {
        let prints = keys.fingerprints
        guard let known = try await redis.entry(entry) else {
            try await redis.keep(Array(prints[0].utf8), as: entry, onlyIfMissing: true)
            return true
        }
        guard let index = prints.firstIndex(of: String(decoding: known, as: UTF8.self)) else { return false }
        if index > 0 { try await redis.keep(Array(prints[0].utf8), as: entry) }
        return true
    }

    /// Returns whether the fleet of `redis` has no key yet, or one of these. Changes nothing.
    static func fits(_ keys: SigningKeys, _ redis: RedisJobQueue) async throws -> Bool {
        guard let known = try await redis.entry(entry) else { return true }
        return keys.fingerprints.contains(String(decoding: known, as: UTF8.self))
    }
}
