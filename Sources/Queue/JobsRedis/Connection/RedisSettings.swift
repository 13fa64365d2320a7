package import Values

/// The address of the Redis server, its credentials, and the queue's name on it.
package struct RedisSettings: Sendable, Equatable {
    /// The server's address. With `sentinels`, they say it instead.
    package var server: HostAndPort
    package var sentinels: SentinelGroup?
    /// The ACL user. With a password, `nil` means Redis's `default` user.
    package var user: String?
    package var password: Secret<String>?
    package var database: Int
    /// A Boolean value that indicates whether servers and sentinels are reached with TLS.
    package var usesTLS: Bool
    /// The path of a PEM file with certificate authorities to trust in addition to the system's.
    package var authoritiesFile: String?
    /// The first part of every key.
    package var namespace: String
    /// The queue's name. In keys it stands in braces, a hash tag that keeps the keys on one node of a cluster.
    package var lane: String
    /// The time limit of a command, including connecting. For a blocking read, its blocking time is added.
    package var timeLimit: Duration
    /// The time limit of one attempt to connect.
    package var connectLimit: Duration
    /// The time within which replicas must have a change that is to be acknowledged.
    package var replicationLimit: Duration

    package init(
        host: String = "127.0.0.1",
        port: Int = 6379,
        sentinels: SentinelGroup? = nil,
        user: String? = nil,
        password: Secret<String>? = nil,
        database: Int = 0,
        usesTLS: Bool = false,
        authoritiesFile: String? = nil,
        namespace: String = "attachd",
        lane: String = "default",
        timeLimit: Duration = .seconds(3),
        connectLimit: Duration = .seconds(2),
        replicationLimit: Duration = .seconds(1),
    ) {
        server = HostAndPort(host: host, port: port)
        self.sentinels = sentinels
        self.user = user
        self.password = password
        self.database = database
        self.usesTLS = usesTLS
        self.authoritiesFile = authoritiesFile
        self.namespace = namespace
        self.lane = lane
        self.timeLimit = timeLimit
        self.connectLimit = connectLimit
        self.replicationLimit = replicationLimit
    }

    /// The common prefix of the queue's keys.
    package var prefix: String { "\(namespace):{\(lane)}:" }

    /// The URL for logs and listings, without user, password and the queue's name.
    package var withoutSecrets: String {
        let scheme = usesTLS ? "rediss" : "redis"
        guard let sentinels else { return "\(scheme)://\(server)" }
        let list = sentinels.addresses.map(\.description).joined(separator: ",")
        return "\(scheme)-sentinel://\(list)/\(sentinels.name)"
    }

    /// The name of the server in messages, without secrets.
    var address: String {
        guard let sentinels else { return server.description }
        return "'\(sentinels.name)' (sentinels \(sentinels.addresses.map(\.description).joined(separator: ", ")))"
    }
}
