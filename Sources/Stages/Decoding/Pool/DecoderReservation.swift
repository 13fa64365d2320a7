import Base
import DecoderWire
import Media
import Synchronization

/// One job's right to compute, and the memory that belongs to it.
final class DecoderReservation: Sendable {
    private struct State {
        var claim: DecoderSchedule.Claim
        /// The instant since which the job has computed, or `nil` while it waits.
        var since: Instant?
        var worked: Duration = .zero
    }

    private let pool: DecoderPool
    private let deadline: Deadline
    private let state: Mutex<State>

    /// Creates the reservation for a claim that was granted just now.
    init(_ claim: DecoderSchedule.Claim, due deadline: Deadline, in pool: DecoderPool) {
        var claim = claim
        claim.needsProcess = false
        self.pool = pool
        self.deadline = deadline
        state = Mutex(State(claim: claim, since: pool.time.now))
    }

    /// The memory that the job needs, as far as it is known.
    var byteCount: Int { state.withLock(\.claim.byteCount) }

    /// The time that the job has computed so far, without the time that it waited.
    var worked: Duration {
        state.withLock { $0.worked + ($0.since.map { pool.time.now - $0 } ?? .zero) }
    }

    /// Lets other jobs compute. After a while this job may lose its process to jobs that need memory.
    func pause() {
        if let id = stop() { pool.pause(id) }
    }

    /// Waits until the job may compute again.
    func resume() async throws(AttachmentFailure) {
        let claim = state.withLock(\.claim)
        _ = try await pool.obtain(claim, due: deadline)
        state.withLock { $0.since = pool.time.now }
    }

    /// Waits until the job has `byteCount` bytes of memory beside those of a process that has not read its source, at most
    /// the limit of one process.
    func resume(adding byteCount: Int) async throws(AttachmentFailure) {
        pause()
        state.withLock { state in
            let sum = SafeSize.sum(pool.configuration.initialMemoryBytes, byteCount) ?? .max
            // A job that begins again may have all of it.
            let claim = max(state.claim.byteCount, sum)
            state.claim.byteCount = min(claim, pool.configuration.limits.memoryBytes)
        }
        try await resume()
    }

    func end() { pool.end(state.withLock(\.claim.id)) }

    /// Stops the clock. Returns the job's number if it computed until now.
    private func stop() -> Int? {
        state.withLock { state in
            guard let since = state.since else { return nil }
            state.worked += pool.time.now - since
            state.since = nil
            return state.claim.id
        }
    }
}
