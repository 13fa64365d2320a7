import Media
import Timing
import Values

/// The primary as a sentinel knows it.
struct NamedPrimary: Equatable {
    let server: HostAndPort
    /// The number of replicas that the sentinels may promote.
    let promotable: Int

    /// Returns the server that the reply to `SENTINEL get-master-addr-by-name` names, or `nil` if it names none.
    static func server(_ reply: RedisReply) -> HostAndPort? {
        guard let parts = reply.elements, parts.count == 2, let host = parts[0].text, !host.isEmpty,
            let port = parts[1].integer, (1...65_535).contains(port)
        else { return nil }
        return HostAndPort(host: host, port: port)
    }

    /// Returns the number of promotable replicas beside `server` in the reply to `SENTINEL replicas`. In the last moments
    /// of a fail-over, the new primary is still one of the replicas.
    static func promotable(_ reply: RedisReply, beside server: HostAndPort) -> Int {
        (reply.elements ?? []).count { replica in
            let words = (replica.elements ?? []).map { $0.text ?? "" }
            let pairs = stride(from: 0, to: words.count - 1, by: 2).map { (words[$0], words[$0 + 1]) }
            let fields = Dictionary(pairs) { first, _ in first }
            let isServer = fields["ip"] == server.host && fields["port"] == "\(server.port)"
            return !isServer && isPromotable(fields)
        }
    }

    /// Returns whether the sentinel has seen the server as a replica, and may promote it by what it knows. Sentinels
    /// want a sign of life within five seconds. They promote a replica without a link to the primary too. It does not
    /// count here if it has been without one for as long as a replica that left counts (`ReplicaCount.memory`), or if it
    /// never had one since it started, for which the time is negative: an old primary that comes back as a replica.
    private static func isPromotable(_ fields: [String: String]) -> Bool {
        let memory = ReplicaCount.memory.milliseconds
        guard let host = fields["master-host"], host != "?", fields["slave-priority"] != "0",
            let lastSign = fields["last-ok-ping-reply"].flatMap({ Int($0) }), lastSign < memory
        else { return false }
        let downTime = fields["master-link-down-time"].flatMap { Int($0) } ?? 0
        return fields["master-link-status"] == "ok" || (0..<memory).contains(downTime)
    }
}
