import Jobs

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
            warnings.append("The queue's Redis loses jobs when it ends. Set 'appendonly yes'.")
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
