import Jobs
import Media
import Synchronization
import Timing
import Values

/// Finds the primary by asking the sentinels, one after the other until one of them knows it.
final class PrimaryFinder: Sendable {
    let group: SentinelGroup
    private let dialer: RedisDialer
    private let passwordRule: PasswordRule?
    /// The position of the sentinel that is asked first.
    private let first = Mutex(0)

    init(_ group: SentinelGroup, _ dialer: RedisDialer, _ passwordRule: PasswordRule? = nil) {
        self.group = group
        self.dialer = dialer
        self.passwordRule = passwordRule
    }

    /// Returns the address of the primary as the sentinels know it, to which the password may be sent. The caller must
    /// check that it is the primary.
    func primary() async throws -> HostAndPort {
        var failure: RedisError?
        for _ in group.addresses {
            do {
                let server = try await ask(group.addresses[first.withLock { $0 }]).server
                try await passwordRule?.check(server)
                return server
            } catch let error as RedisError {
                // Wrong settings are the better reason to tell than a sentinel that is down.
                if case .error = failure {} else { failure = error }
                doubt()
            }
        }
        throw failure ?? .unreachable("There are no sentinels.")
    }

    /// Records that the last answer was of no use: the next question goes to another sentinel, because one that is cut
    /// off from the others keeps naming the old primary.
    func doubt() { first.withLock { $0 = ($0 + 1) % max(1, group.addresses.count) } }

    /// Returns the number of replicas that sentinels may promote in place of `server`: the highest that any of them knows.
    /// Throws if most of those that answer name another primary.
    func promotable(inPlaceOf server: HostAndPort) async throws -> Int {
        let answers = await withTaskGroup(of: Result<NamedPrimary, any Error>.self) { tasks in
            for address in group.addresses {
                tasks.addTask {
                    do { return .success(try await self.ask(address, countsReplicas: true)) } catch {
                        return .failure(error)
                    }
                }
            }
            return await tasks.reduce(into: []) { $0.append($1) }
        }
        let named = answers.compactMap { try? $0.get() }
        guard !named.isEmpty else {
            if let failure = answers.first { _ = try failure.get() }
            throw RedisError.unreachable("There are no sentinels.")
        }
        let counts = named.filter { $0.server == server }.map(\.promotable)
        guard let most = counts.max(), 2 * counts.count > named.count else {
            throw RedisError.refusedForNow("Most sentinels no longer name \(server).")
        }
        return most
    }

    private func ask(_ address: HostAndPort, countsReplicas: Bool = false) async throws -> NamedPrimary {
        let replies = try await replies(of: address, countsReplicas)
        guard let server = replies.first.flatMap(NamedPrimary.server) else {
            throw Self.wrong(
                "The sentinel at \(address) does not know '\(group.name)'. Check the name in the queue's URL."
            )
        }
        let promotable = NamedPrimary.promotable(replies.last ?? .null, beside: server)
        return NamedPrimary(server: server, promotable: promotable)
    }

    /// Returns the reply that names the primary, and if `countsReplicas` the one that lists its replicas.
    private func replies(of address: HostAndPort, _ countsReplicas: Bool) async throws -> [RedisReply] {
        do {
            let link = try await dialer.dial(address, within: group.timeLimit)
            defer { link.close() }
            let question = RedisCommand("SENTINEL", "get-master-addr-by-name", group.name)
            let named = try await link.exchange([group.login, question].compactMap(\.self), within: group.timeLimit)
            // A sentinel that does not know the name has an error for its replicas.
            guard countsReplicas, let reply = named.last, reply != .null else { return named.suffix(1) }
            let list = RedisCommand("SENTINEL", "replicas", group.name)
            return [reply] + (try await link.exchange([list], within: group.timeLimit))
        } catch RedisError.unreachable(let reason) {
            throw RedisError.unreachable("The sentinel at \(address) does not answer. \(reason)")
        } catch RedisError.lost(let reason) {
            throw RedisError.unreachable("The sentinel at \(address) does not answer. \(reason)")
        } catch RedisError.error(let error) where error.reason == .misconfigured {
            throw Self.wrong(
                "The sentinel at \(address) refuses the queue's sentinelUser or sentinelPassword, or the user lacks a right. "
                    + "docs/queue.md lists them."
            )
        } catch RedisError.error {
            throw Self.wrong("The server at \(address) does not answer like a sentinel. Check the queue's URL.")
        }
    }

    private static func wrong(_ reason: String) -> RedisError { .error(JobQueueError(.misconfigured, reason)) }
}
