import Media
import Values

/// The primary as a sentinel knows it.
struct NamedPrimary: Equatable {
    let server: HostAndPort
    /// The number of replicas that the sentinel may promote.
    let promotable: Int

    /// Five seconds in milliseconds: sentinels promote only a replica with a sign of life since.
    private static let memory = 5000

    /// Returns the server that the reply to `SENTINEL get-master-addr-by-name` names, or `nil` if it names none.
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

    /// Returns whether the sentinel has seen the server as a replica, and may promote it by what it knows. Sentinels
    /// promote a replica without a link to the primary, too. It does not count here if it has been without one for five
    /// seconds, or if it never had one since it started, for which the time is negative: an old primary that comes back as
    /// a replica.
    private static func isPromotable(_ fields: [String: String]) -> Bool {
        guard let host = fields["master-host"], host != "?", fields["slave-priority"] != "0",
            let lastSign = fields["last-ok-ping-reply"].flatMap({ Int($0) }), lastSign < memory
        else { return false }
        let downTime = fields["master-link-down-time"].flatMap { Int($0) } ?? 0
        return fields["master-link-status"] == "ok" || (0..<memory).contains(downTime)
    }
}
