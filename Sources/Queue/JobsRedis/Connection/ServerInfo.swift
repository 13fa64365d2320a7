import Base
import Jobs
import Media

/// A server's description of itself: the reply to the command INFO.
struct ServerInfo {
    /// The age in seconds of a replica's last sign of life, above which the primary is not sure of it. Replicas give
    /// one each second. It is below the five seconds after which sentinels no longer promote such a replica by its
    /// last known state.
    private static let latestSign = 3

    private var values: [Substring: Substring] = [:]

    init(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            values[line[..<colon]] = line[line.index(after: colon)...]
        }
    }

    subscript(name: Substring) -> Substring? { values[name] }

    var isPrimary: Bool { values["role"] == "master" }

    /// The identifier of the history of changes. It is another one after a restart, and after the server was a replica.
    var history: Substring? { values["master_replid"] }

    /// A Boolean value that indicates whether the server refuses changes while too few replicas follow it.
    var needsReplicas: Bool { values["min_slaves_good_slaves"] != nil }

    /// The number of replicas that follow the server now.
    var replicas: Int {
        values.count { name, value in
            guard name.hasPrefix("slave"), name.dropFirst(5).allSatisfy(\.isNumber) else { return false }
            let fields = value.split(separator: ",")
            guard fields.contains("state=online"), let lag = fields.first(where: { $0.hasPrefix("lag=") }),
                let seconds = Int(lag.dropFirst(4))
            else { return false }
            return (0...Self.latestSign).contains(seconds)
        }
    }
}

// MARK: - The check

/// A check of a server's own description for settings that may lose jobs.
struct ServerCheck {
    /// The risks for jobs, and what to do about them.
    let warnings: [String]

    /// Throws the first warning, if any.
    func insist() throws(JobQueueError) {
        if let first = warnings.first { throw JobQueueError(.misconfigured, first) }
    }

    /// Checks `info`. If sentinels may make a replica the primary, `hasSentinels` is `true`.
    init(_ info: ServerInfo, hasSentinels: Bool = false) throws(JobQueueError) {
        let version = (info["redis_version"] ?? "").split(separator: ".").prefix(2).compactMap { Int($0) }
        guard version.count == 2 else { throw JobQueueError(.broken, "The Redis server does not report its version.") }
        guard (version[0], version[1]) >= (6, 2) else {
            throw JobQueueError(
                .misconfigured,
                "Redis \(version[0]).\(version[1]) is too old for the queue; it needs 6.2 or later."
            )
        }
        var warnings: [String] = []
        if !info.isPrimary {
            warnings.append("The queue's Redis is a replica and cannot accept jobs. Give the master's address.")
        }
        if hasSentinels, !info.needsReplicas {
            warnings.append(
                "The queue's Redis accepts jobs that no replica has, and a fail-over loses them. "
                    + "Set 'min-replicas-to-write 1' on the primary and on all replicas."
            )
        }
        if hasSentinels, version[0] < 7 {
            warnings.append(
                "Redis \(version[0]).\(version[1]) accepts jobs although too few replicas follow it: before 7.0, scripts "
                    + "do not obey 'min-replicas-to-write'. Use Redis 7.0 or later."
            )
        }
        if info["aof_enabled"] != "1" {
            warnings.append("The queue's Redis loses its jobs when it stops. Set 'appendonly yes'.")
        }
        let policy = info["maxmemory_policy"] ?? ""
        if policy != "noeviction", !policy.hasPrefix("volatile-") {
            warnings.append(
                "The queue's Redis evicts jobs when its memory is full. Set 'maxmemory-policy noeviction'."
            )
        }
        self.warnings = warnings
    }
}

// MARK: - The clock

/// A reading of the server's clock, which converts the server's times to local instants.
///
/// The clocks of producers, workers and server need not agree.
struct ServerClock {
    /// The latest valid time, in milliseconds since 1970. Later times are invalid.
    static let latest = 1 << 52

    private let milliseconds: Int
    /// The local time of the reading.
    private let instant: Instant

    /// Reads milliseconds since 1970 from a reply to a request that was sent at `asked`.
    init?(_ reply: RedisReply?, asked: Instant, received: Instant, _ clock: inout RemoteClock) {
        guard let milliseconds = reply?.integer, (0...Self.latest).contains(milliseconds) else { return nil }
        self.milliseconds = milliseconds
        instant = clock.instant(of: .milliseconds(milliseconds), asked: asked, received: received)
    }

    /// Reads the reply to TIME: seconds and microseconds.
    init?(time reply: RedisReply, asked: Instant, received: Instant, _ clock: inout RemoteClock) {
        guard let parts = reply.elements, parts.count == 2, let seconds = parts[0].integer,
            let microseconds = parts[1].integer, (0...Self.latest / 1000).contains(seconds)
        else { return nil }
        self.init(.integer(seconds * 1000 + microseconds / 1000), asked: asked, received: received, &clock)
    }

    func instant(_ milliseconds: Int) -> Instant? {
        guard (0...Self.latest).contains(milliseconds) else { return nil }
        return instant - .milliseconds(self.milliseconds - milliseconds)
    }

    /// Returns the time at which an entry was added. Its id begins with this time.
    func instant(ofEntry id: Substring) -> Instant? { Int(id.prefix { $0 != "-" }).flatMap(instant) }
}
