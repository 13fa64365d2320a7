import Base
import Jobs
import Logging
import Media
import Processing
import ServiceLifecycle
import Storage
import Synchronization

/// The comparison of this process's signing keys with those of the fleet: with other keys, another process refuses the links
/// that this one signs, and receivers get posts signed by several keys.
///
/// The fleet has the fingerprint of the key that it signs with. The first process sets it, and one that has it as its old
/// key replaces it.
final class FleetKeys: Service {
    private let keyring: Replaceable<SigningKeys>
    private let entry: FleetEntry
    private let logger: Logger
    private let isForeign = Atomic(false)

    private static let name = "keys"

    init(
        _ keyring: Replaceable<SigningKeys>,
        _ store: (any FleetStore)?,
        time: any TimeSource = SystemTime(),
        logger: Logger,
    ) {
        self.keyring = keyring
        entry = FleetEntry(name: Self.name, store: store, time: time)
        self.logger = logger
    }

    /// The problem, if the fleet signs with a key that this process does not have.
    var warnings: Set<QueueWarning> { isForeign.load(ordering: .relaxed) ? [.foreignKeys] : [] }

    func run() async throws { try await entry.watch(atOnce: true) { [self] in await compare() } }

    /// Throws if the fleet signs with a key that this process does not have.
    func insist() async throws(JobQueueError) {
        await compare()
        if !warnings.isEmpty { throw JobQueueError(.misconfigured, QueueWarning.foreignKeys.description) }
    }

    /// Compares the keys. Without an answer, what was found before stays valid.
    func compare() async {
        guard entry.store != nil, let isKnown = try? await isKnown() else { return }
        let wasForeign = isForeign.exchange(!isKnown, ordering: .relaxed)
        guard !isKnown, !wasForeign else { return }
        logger.warning(
            "The fleet signs with another key than this process.",
            metadata: ["reason": "\(QueueWarning.foreignKeys)"]
        )
    }

    /// Returns whether this process has the fleet's key. Stores the current key if the fleet has none, or the previous one.
    private func isKnown() async throws -> Bool {
        let prints = keyring.current.fingerprints
        guard let known = try await entry.read() else {
            try await entry.write(Array(prints[0].utf8), onlyIfMissing: true)
            return true
        }
        guard let index = prints.firstIndex(of: String(decoding: known, as: UTF8.self)) else { return false }
        if index > 0 { try await entry.write(Array(prints[0].utf8)) }
        return true
    }

    /// Returns whether the fleet of `store` has no key yet, or one of these. Changes nothing.
    static func fits(_ keys: SigningKeys, _ store: any FleetStore) async throws -> Bool {
        guard let known = try await store.entry(name) else { return true }
        return keys.fingerprints.contains(String(decoding: known, as: UTF8.self))
    }
}
