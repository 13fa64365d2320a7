import Jobs

/// A check of a server's own description for settings that may lose jobs.
struct ServerCheck {
    /// The risks for jobs, and what to do about them.
    let warnings: [String]

    /// Throws the first warning, if any.
    func insist() throws(JobQueueError) {
        if let first = warnings.first { throw JobQueueError(.misconfigured, first) }
    }

    /// Reads `info`, the reply to the command INFO.
    init(info: String) throws(JobQueueError) {
        var values: [Substring: Substring] = [:]
        for line in info.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            values[line[..<colon]] = line[line.index(after: colon)...]
        }
        let version = (values["redis_version"] ?? "").split(separator: ".").prefix(2).compactMap { Int($0) }
        guard version.count == 2 else { throw JobQueueError(.broken, "The Redis server does not report its version.") }
        guard (version[0], version[1]) >= (6, 2) else {
            throw JobQueueError(
                .misconfigured,
                "Redis \(version[0]).\(version[1]) is too old for the queue; it needs 6.2 or later."
            )
        }
        var warnings: [String] = []
        if values["role"] != "master" {
            warnings.append("The queue's Redis is a replica and cannot accept jobs. Give the master's address.")
        }
        if values["aof_enabled"] != "1" {
            warnings.append("The queue's Redis loses jobs when it ends. Set 'appendonly yes'.")
        }
        let policy = values["maxmemory_policy"] ?? ""
        if policy != "noeviction", !policy.hasPrefix("volatile-") {
            warnings.append(
                "The queue's Redis evicts jobs when its memory is full. Set 'maxmemory-policy noeviction'."
            )
        }
        self.warnings = warnings
    }
}
