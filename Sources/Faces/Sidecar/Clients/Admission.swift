import HTTPTypes
import Synchronization

/// A limiter that admits as many requests as the worker can answer in time, and none while it drains.
final class Admission: Sendable {
    private struct State {
        var running = 0
        var isDraining = false
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var running: Int { state.withLock(\.running) }
    var isDraining: Bool { state.withLock(\.isDraining) }

    /// Refuses new requests from now on. Admitted requests finish.
    func drain() { state.withLock { $0.isDraining = true } }

    /// Throws while the worker drains.
    func checkOpen() throws {
        guard !isDraining else { throw Self.draining }
    }

    private static let draining = Problem(
        .serviceUnavailable,
        "This worker is shutting down. Ask another one.",
        retryAfter: 1,
    )

    /// Does `work` with a permit. Read the request's body before, so that a slow client does not hold a permit.
    func admit<Value>(_ work: () async throws -> Value) async throws -> Value {
        try checkOpen()
        guard enter() else {
            let detail = "\(limit) requests are in progress already. Try again shortly, or raise --requests."
            throw Problem(.tooManyRequests, detail, retryAfter: 1)
        }
        defer { leave() }
        return try await work()
    }

    /// Takes a permit. Returns `false` if none is left. Return each permit with `leave`.
    func enter() -> Bool {
        state.withLock { state in
            guard state.running < limit else { return false }
            state.running += 1
            return true
        }
    }

    func leave() { state.withLock { $0.running -= 1 } }
}
