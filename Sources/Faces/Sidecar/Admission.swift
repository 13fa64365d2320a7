import HTTPTypes
import Synchronization

/// Lets in as many requests as the worker can answer on time, and none while it drains.
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

    /// From now on, new requests are sent elsewhere; those that were let in are finished.
    func drain() { state.withLock { $0.isDraining = true } }

    /// Throws while the worker drains.
    func checkOpen() throws {
        guard !isDraining else { throw Self.draining }
    }

    private static let draining = Problem(
        .serviceUnavailable,
        "This worker is shutting down; ask another.",
        retryAfter: 1,
    )

    /// Does `work` with a permit. Read the request before: a client that sends slowly must not hold one.
    func admit<Value>(_ work: () async throws -> Value) async throws -> Value {
        try checkOpen()
        guard enter() else {
            let detail = "All \(limit) places are taken. Try again shortly, or raise --requests."
            throw Problem(.tooManyRequests, detail, retryAfter: 1)
        }
        defer { leave() }
        return try await work()
    }

    /// Takes a permit; `false` if none is left. Each that was taken is given back by `leave`.
    func enter() -> Bool {
        state.withLock { state in
            guard state.running < limit else { return false }
            state.running += 1
            return true
        }
    }

    func leave() { state.withLock { $0.running -= 1 } }
}
