import Media
import Synchronization

/// One job's right to compute, and the memory that goes with it.
final class Place: Sendable {
    private struct State {
        var claim: Schedule.Claim
        /// Since when the job has computed; `nil` while it waits.
        var since: Instant?
        var worked: Duration = .zero
    }

    private let pool: DecoderPool
    private let deadline: MovingDeadline
    private let state: Mutex<State>

    /// `claim` was granted just now.
    init(_ claim: Schedule.Claim, due deadline: MovingDeadline, in pool: DecoderPool) {
        var claim = claim
        claim.needsProcess = false
        self.pool = pool
        self.deadline = deadline
        state = Mutex(State(claim: claim, since: pool.time.now))
    }

    /// How long the job has computed so far: what it waited for is not in it.
    var worked: Duration {
        state.withLock { $0.worked + ($0.since.map { pool.time.now - $0 } ?? .zero) }
    }

    /// Lets others compute: the job waits for something.
    func pause() {
        let id = state.withLock { state -> Int? in
            guard let since = state.since else { return nil }
            state.worked += pool.time.now - since
            state.since = nil
            return state.claim.id
        }
        if let id { pool.pause(id) }
    }

    /// Waits until the job may compute again, with `byteCount` more memory from then on.
    func resume(adding byteCount: Int = 0) async throws(AttachmentFailure) {
        let claim = state.withLock { state in
            state.claim.byteCount = SafeSize.sum(state.claim.byteCount, byteCount) ?? .max
            return state.claim
        }
        _ = try await pool.obtain(claim, due: deadline)
        state.withLock { $0.since = pool.time.now }
    }

    func end() { pool.end(state.withLock(\.claim.id)) }
}
