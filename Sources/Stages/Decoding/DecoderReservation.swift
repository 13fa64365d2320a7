import DecoderWire
import Media
import Synchronization
import Timing
import Values

/// One job's right to compute, and the memory that goes with it.
final class DecoderReservation: Sendable {
    private struct State {
        var claim: DecoderSchedule.Claim
        /// Since when the job has computed; `nil` while it waits.
        var since: Instant?
        var worked: Duration = .zero
    }

    private let pool: DecoderPool
    private let deadline: MovingDeadline
    private let state: Mutex<State>

    /// `claim` was granted just now.
    init(_ claim: DecoderSchedule.Claim, due deadline: MovingDeadline, in pool: DecoderPool) {
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

    /// Lets others compute: the job waits, and after a while may lose its process to those who need memory.
    func pause() {
        if let id = stop() { pool.pause(id) }
    }

    /// Waits until the job may compute again.
    func resume() async throws(AttachmentFailure) {
        let claim = state.withLock(\.claim)
        _ = try await pool.obtain(claim, due: deadline)
        state.withLock { $0.since = pool.time.now }
    }

    /// Waits until the job has `byteCount` more memory, as far as a process may have that much at all.
    func resume(adding byteCount: Int) async throws(AttachmentFailure) {
        pause()
        state.withLock { state in
            let sum = SafeSize.sum(state.claim.byteCount, byteCount) ?? .max
            state.claim.byteCount = min(sum, pool.configuration.limits.memoryBytes)
        }
        try await resume()
    }

    func end() { pool.end(state.withLock(\.claim.id)) }

    /// The job's number, if it computed until now.
    private func stop() -> Int? {
        state.withLock { state in
            guard let since = state.since else { return nil }
            state.worked += pool.time.now - since
            state.since = nil
            return state.claim.id
        }
    }
}
