package import Values

/// The sentinels that know the primary of a group of servers, and the name under which they know it.
package struct SentinelGroup: Sendable, Equatable {
    /// The port of a sentinel whose address has none.
    package static let defaultPort = 26_379

    package var addresses: [HostAndPort]
    /// The name of the group, such as `mymaster`.
    package var name: String
    /// The ACL user of the sentinels themselves. With a password, `nil` means the `default` user.
    package var user: String?
    package var password: Secret<String>?
    /// The servers that get the password of the queue without TLS.
    package var passwordServers: PasswordServers
    /// The time limit of connecting to a sentinel, and of each question to it.
    package var timeLimit: Duration

    package init(
        _ addresses: [HostAndPort],
        name: String,
        user: String? = nil,
        password: Secret<String>? = nil,
        passwordServers: PasswordServers = .hosts([]),
        timeLimit: Duration = .seconds(1),
    ) {
        self.addresses = addresses
        self.name = name
        self.user = user
        self.password = password
        self.passwordServers = passwordServers
        self.timeLimit = timeLimit
    }

    /// The command that logs in to a sentinel; `nil` if none is needed.
    var login: RedisCommand? {
        guard let password = password?.revealed else { return nil }
        return user.map { RedisCommand("AUTH", $0, password) } ?? RedisCommand("AUTH", password)
    }
}

/// The servers that may get a password without TLS.
package enum PasswordServers: Sendable, Equatable {
    /// Every server that a sentinel names, for a network in which nobody can answer in place of a sentinel.
    case any
    /// The hosts of the sentinels themselves, and these.
    case hosts([String])
}
