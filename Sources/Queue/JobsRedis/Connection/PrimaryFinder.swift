import Base
import HTTPClient
import Jobs
import Media
import Synchronization

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

    /// Records that the last answer was useless, so that the next question goes to another sentinel: a sentinel that is
    /// cut off from the others keeps naming the old primary.
    func doubt() { first.withLock { $0 = ($0 + 1) % max(1, group.addresses.count) } }

    /// Returns the number of replicas that sentinels may promote to replace `server`: the highest number that one reports.
    /// Throws if most sentinels that answer name another primary.
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

// MARK: - Primaries

/// The primary as a sentinel knows it.
struct NamedPrimary: Equatable {
    let server: HostAndPort
    /// The number of replicas that the sentinel may promote.
    let promotable: Int

    /// Five seconds in milliseconds: sentinels promote only a replica with a sign of life since.
    private static let memory = 5000

    /// Returns the server in the reply to `SENTINEL get-master-addr-by-name`, or `nil` if the reply has no server.
    static func server(_ reply: RedisReply) -> HostAndPort? {
        guard let parts = reply.elements, parts.count == 2, let host = parts[0].text, !host.isEmpty,
            let port = parts[1].integer, (1...65_535).contains(port)
        else { return nil }
        return HostAndPort(host: host, port: port)
    }

    /// Returns the number of promotable replicas beside `server` in the reply to `SENTINEL replicas`. In the last moments
    /// of a fail-over, the new primary is still one of the replicas. A replica that had another address before may be
    /// there twice.
    static func promotable(_ reply: RedisReply, beside server: HostAndPort) -> Int {
        let replicas = (reply.elements ?? []).map { replica in
            let words = (replica.elements ?? []).map { $0.text ?? "" }
            let pairs = stride(from: 0, to: words.count - 1, by: 2).map { (words[$0], words[$0 + 1]) }
            return Dictionary(pairs) { first, _ in first }
        }
        let others = replicas.filter { $0["ip"] != server.host || $0["port"] != "\(server.port)" }
        return Set(others.filter(isPromotable).map { $0["runid"] ?? $0["name"] }).count
    }

    /// Returns whether the sentinel has seen the server as a replica, and may promote it. Sentinels also promote a replica
    /// without a link to the primary. Such a replica does not count here if the link has been missing for five seconds, or
    /// since its start, for which the time is negative: an old primary that comes back as a replica.
    private static func isPromotable(_ fields: [String: String]) -> Bool {
        guard let host = fields["master-host"], host != "?", fields["slave-priority"] != "0",
            let lastSign = fields["last-ok-ping-reply"].flatMap({ Int($0) }), lastSign < memory
        else { return false }
        let downTime = fields["master-link-down-time"].flatMap { Int($0) } ?? 0
        return fields["master-link-status"] == "ok" || (0..<memory).contains(downTime)
    }
}

// MARK: - Passwords

/// The rule for a server that only a sentinel names: without TLS, it gets the password only if the queue's URL lists it
/// (SECURITY.md, R1).
///
/// Without TLS, a sentinel's answer is not authenticated. An attacker who answers in its place could name any server and
/// collect the password.
final class PasswordRule: Sendable {
    private let hosts: [String]
    private let dialer: RedisDialer
    private let timeLimit: Duration
    private let recorder: any EventRecorder<QueueEvent>
    /// The hosts that the log has named, so that it names each of them once.
    private let logged = Mutex<Set<String>>([])
    private static let loggedLimit = 16

    /// Creates the rule. Returns `nil` if the password may go to every server that a sentinel names.
    init?(_ settings: RedisSettings, _ dialer: RedisDialer, _ recorder: any EventRecorder<QueueEvent>) {
        guard let group = settings.sentinels, settings.password != nil, !settings.usesTLS,
            case .hosts(let more) = group.passwordServers
        else { return nil }
        hosts = group.addresses.map { $0.host.lowercased() } + more.map { $0.lowercased() }
        self.dialer = dialer
        timeLimit = group.timeLimit
        self.recorder = recorder
    }

    /// Throws if the server must not get the password.
    func check(_ server: HostAndPort) async throws(RedisError) {
        let host = server.host.lowercased()
        guard !hosts.contains(host) else { return }
        // The URL may have names where sentinels have addresses.
        for name in hosts where await dialer.addresses(of: name, within: timeLimit).contains(host) { return }
        let reason =
            "The sentinels name \(server) as the primary, which the queue's URL does not list. Without TLS, the password "
            + "is not sent to it. Use rediss-sentinel://, or add ?servers=\(server.host) to the URL if that server is yours."
        let isNew = logged.withLock { $0.count < Self.loggedLimit && $0.insert(host).inserted }
        if isNew { recorder.record(.passwordWithheld(reason)) }
        throw .error(JobQueueError(.misconfigured, reason))
    }
}
