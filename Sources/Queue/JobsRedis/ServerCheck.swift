import Jobs

/// Whether a server is fit to hold jobs, by what it says of itself.
struct ServerCheck {
    /// What puts jobs at risk, and what to do about it.
    let warnings: [String]

    /// Throws the first of the warnings.
    func insist() throws(JobQueueError) {
        if let first = warnings.first { throw JobQueueError(.misconfigured, first) }
    }

    /// `info` is the answer to the command INFO.
    init(info: String) throws(JobQueueError) {
        var values: [Substring: Substring] = [:]
        for line in info.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            values[line[..<colon]] = line[line.index(after: colon)...]
        }
        let version = (values["redis_version"] ?? "").split(separator: ".").prefix(2).compactMap { Int($0) }
        guard version.count == 2 else { throw JobQueueError(.broken, "The server does not say its version.") }
        guard (version[0], version[1]) >= (6, 2) else {
            throw JobQueueError(
                .misconfigured,
                "Redis \(version[0]).\(version[1]) is too old for the queue; it needs 6.2 or later."
            )
        }
        var warnings: [String] = []
        if values["role"] != "master" {
            warnings.append("The queue's Redis is a replica: it takes no jobs. Give the master's address.")
        }
        if values["aof_enabled"] != "1" {
            warnings.append("The queue's Redis loses jobs when it ends: set 'appendonly yes'.")
        }
        let policy = values["maxmemory_policy"] ?? ""
        if policy != "noeviction", !policy.hasPrefix("volatile-") {
            warnings.append(
                "The queue's Redis throws jobs away when its memory is full: set 'maxmemory-policy noeviction'."
            )
        }
        self.warnings = warnings
    }
}
