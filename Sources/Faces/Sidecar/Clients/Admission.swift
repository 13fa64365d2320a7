import HTTPTypes
import Jobs
import Synchronization
import Values

/// A limiter that admits as many requests as the worker can answer in time, of each tenant no more than its share, and
/// none while the worker drains.
final class Admission: Sendable {
    private struct State {
        var running = 0
        /// The requests of lines with a share. One without requests has no entry.
        var byLine: [String: Int] = [:]
        var isDraining = false
    }

    /// A reason to refuse a request.
    private enum Refusal {
        case full
        case overShare(Int)
    }

    private let state = Mutex(State())
    private let limit: Int
    private let shares: TenantShares

    init(limit: Int, shares: TenantShares = TenantShares()) {
        self.limit = limit
        self.shares = shares
    }

    var running: Int { state.withLock(\.running) }
    /// A Boolean value that indicates whether a permit is left.
    var hasRoom: Bool { running < limit }
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

    /// Does `work` with a permit for `tenant`. Read the request's body before, so that a slow client does not hold a
    /// permit.
    func admit<Value>(for tenant: String? = nil, _ work: () async throws -> Value) async throws -> Value {
        try checkOpen()
        let tenant = tenant ?? TenantName.unnamed
        let line = shares.line(of: tenant)
        switch enter(for: line) {
        case nil: break
        case .full:
            let detail = "\(limit) requests are in progress already. Try again shortly, or raise --requests."
            throw Problem(.tooManyRequests, detail, retryAfter: 1)
        case .overShare(let share):
            let who =
                line == TenantLines.shared
                ? "The tenants that the configuration does not list have" : "The tenant \(tenant) has"
            let detail = "\(who) \(share) requests in progress already, the share of --requests. Try again shortly."
            throw Problem(.tooManyRequests, detail, retryAfter: 1)
        }
        defer { leave(for: line) }
        return try await work()
    }

    private func enter(for line: String) -> Refusal? {
        let share = shares[line]
        return state.withLock { state in
            guard state.running < limit else { return .full }
            if let share {
                let count = state.byLine[line, default: 0]
                guard count < share else { return .overShare(share) }
                state.byLine[line] = count + 1
            }
            state.running += 1
            return nil
        }
    }

    private func leave(for line: String) {
        leave()
        state.withLock { state in
            guard let count = state.byLine[line] else { return }
            state.byLine[line] = count > 1 ? count - 1 : nil
        }
    }

    /// Takes a permit for work of many tenants, such as a list. Returns `false` if none is left. Return each permit with
    /// `leave`.
    func enter() -> Bool {
        state.withLock { state in
            guard state.running < limit else { return false }
            state.running += 1
            return true
        }
    }

    func leave() { state.withLock { $0.running -= 1 } }
}
