import Base
import HTTPTypes
import Jobs
import Processing
import Synchronization

/// A limiter that admits as many requests as the worker can answer in time, and of each tenant no more than its share. While
/// the worker drains, it admits what will be answered before the end.
final class Admission: Sendable {
    private enum Phase {
        case open
        case draining(until: Instant)
        case closed
    }

    private struct State {
        /// The requests in progress, by the tenant's line.
        var permits: KeyedPermits<String>
        /// The number of permits that others may have, because their requests wait for a picture.
        var lent = 0
        var phase = Phase.open
    }

    private let state: Mutex<State>
    private let limit: Int
    private let shares: TenantShares

    init(limit: Int, shares: TenantShares = TenantShares()) {
        self.limit = limit
        self.shares = shares
        state = Mutex(State(permits: KeyedPermits(limit: limit)))
    }

    var running: Int { state.withLock(\.permits.taken) }
    /// A Boolean value that indicates whether a permit is left.
    var hasRoom: Bool { running < limit }
    var isDraining: Bool { if case .open = state.withLock(\.phase) { false } else { true } }

    /// Refuses requests whose deadlines are after `end` from now on.
    func drain(until end: Instant) { state.withLock { $0.phase = .draining(until: end) } }

    /// Refuses new requests from now on. Admitted requests finish.
    func close() { state.withLock { $0.phase = .closed } }

    /// Throws if a request with that deadline would not be answered any more. Without one, throws only at the end.
    func checkOpen(until deadline: Instant? = nil) throws {
        switch state.withLock(\.phase) {
        case .open: return
        case .draining(let end):
            guard let deadline, deadline > end else { return }
            throw Self.draining
        case .closed: throw Self.draining
        }
    }

    static let draining: Problem = {
        let detail = "This worker is shutting down. Ask another one."
        var problem = Problem(.serviceUnavailable, detail, retryAfter: 1)
        problem.endsConnection = true
        return problem
    }()

    /// Does `work`, which ends at `deadline`, with a permit for `tenant`. Read the request's body before, so that a slow
    /// client does not hold a permit.
    func admit<Value>(
        for tenant: String? = nil,
        until deadline: Instant? = nil,
        _ work: () async throws -> Value,
    ) async throws -> Value {
        try checkOpen(until: deadline)
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
            throw Problem(.tooManyRequests, detail, code: "tenantShareUsed", retryAfter: 1)
        }
        defer { leave(for: line) }
        return try await lending(line, work)
    }

    /// Does `work`, which holds a permit. The permit is lent while the work waits for a picture that is not there yet; no more
    /// than a quarter of all permits is lent at a time.
    func lending<Value>(_ line: String? = nil, _ work: () async throws -> Value) async rethrows -> Value {
        let slot = WorkSlot {
            let isLent = self.state.withLock { state in
                guard state.lent < (self.limit + 3) / 4 else { return false }
                state.lent += 1
                return true
            }
            if isLent { self.leave(for: line) }
            return isLent
        } reclaim: {
            self.state.withLock { state in
                state.lent -= 1
                state.permits.takeAnyway(for: line)
            }
        }
        defer { slot.end() }
        return try await WorkSlot.$current.withValue(slot) { try await work() }
    }

    private func enter(for line: String?) -> KeyedPermits<String>.Refusal? {
        let share = line.flatMap { shares[$0] }
        return state.withLock { $0.permits.take(for: line, share: share) }
    }

    private func leave(for line: String?) { state.withLock { $0.permits.giveBack(for: line) } }

    /// Takes a permit for work of many tenants, such as a list. Returns `false` if none is left. Return each permit with
    /// `leave`.
    func enter() -> Bool { enter(for: nil) == nil }

    func leave() { leave(for: nil) }
}

// MARK: - Sharing

/// A limiter of which one client never has all permits: a quarter is left for the others.
final class SharedAdmission: Sendable {
    private let permits: Mutex<KeyedPermits<ClientAddress>>
    /// The most permits of one client.
    let share: Int

    init(limit: Int) {
        permits = Mutex(KeyedPermits(limit: limit))
        share = limit - limit / 4
    }

    /// The number of permits that are taken.
    var taken: Int { permits.withLock(\.taken) }

    /// Returns whether a permit is left for `client`.
    func hasRoom(_ client: ClientAddress) -> Bool {
        permits.withLock { $0.refusal(for: client, share: share) == nil }
    }

    /// Takes a permit for `client`. Returns `false` if none is left for it. Return each permit with `leave`.
    func enter(_ client: ClientAddress) -> Bool {
        permits.withLock { $0.take(for: client, share: share) == nil }
    }

    func leave(_ client: ClientAddress) { permits.withLock { $0.giveBack(for: client) } }
}
