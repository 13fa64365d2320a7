import Synchronization
import Timing

/// The number of replicas that must have a change before it is acknowledged.
///
/// It rises at once when a replica joins, and falls only some seconds after one has left: a replica that leaves may be
/// the next primary. Sentinels promote one first and tell the others a moment later. Until then the others follow the
/// old primary, and confirm changes that the new primary will never have.
final class ReplicaCount: Sendable {
    /// The time for which a replica that left still counts. Sentinels look at a replica that they promote once a second,
    /// and tell the others as soon as they see it.
    static let memory = Duration.seconds(5)

    private struct State {
        var history: Substring?
        var required = 1
        /// The time at which fewer replicas than required were first seen.
        var fewerSince: Instant?
    }

    private let state = Mutex(State())

    /// Records how many replicas follow the primary with this history, and returns how many must confirm a change: at
    /// least one.
    @discardableResult
    func required(following: Int, history: Substring?, at now: Instant) -> Int {
        state.withLock { state in
            let following = max(1, following)
            if state.history != history {
                // Another primary, or the same one after a restart: its replicas are not those of before.
                state = State(history: history, required: following)
            } else if following >= state.required {
                (state.required, state.fewerSince) = (following, nil)
            } else if let since = state.fewerSince {
                if now - since >= Self.memory { (state.required, state.fewerSince) = (following, nil) }
            } else {
                state.fewerSince = now
            }
            return state.required
        }
    }
}
