import HTTPTypes
import Jobs
import Synchronization
import Values

/// A limiter that admits as many requests as the worker can answer in time, of each tenant no more than its share, and
/// none while the worker drains.
final class Admission: Sendable {
    private struct State {
        var running = 0
        /// The requests of tenants with a share. One without requests has no entry.
        var byTenant: [String: Int] = [:]
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
        switch enter(for: tenant) {
        case nil: break
        case .full:
            let detail = "\(limit) requests are in progress already. Try again shortly, or raise --requests."
            throw Problem(.tooManyRequests, detail, retryAfter: 1)
        case .overShare(let share):
            let detail =
                "The tenant \(tenant) has \(share) requests in progress already, its share of --requests. "
                + "Try again shortly."
            throw Problem(.tooManyRequests, detail, retryAfter: 1)
        }
        defer { leave(for: tenant) }
        return try await work()
    }

    private func enter(for tenant: String) -> Refusal? {
        let share = shares[tenant]
        return state.withLock { state in
            guard state.running < limit else { return .full }
            if let share {
                let count = state.byTenant[tenant, default: 0]
                guard count < share else { return .overShare(share) }
                state.byTenant[tenant] = count + 1
            }
            state.running += 1
            return nil
        }
    }

    private func leave(for tenant: String) {
        leave()
        state.withLock { state in
            guard let count = state.byTenant[tenant] else { return }
            state.byTenant[tenant] = count > 1 ? count - 1 : nil
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
