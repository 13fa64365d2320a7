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
    /// The time limit of connecting to a sentinel, and of each question to it.
    package var timeLimit: Duration

    package init(
        _ addresses: [HostAndPort],
        name: String,
        user: String? = nil,
        password: Secret<String>? = nil,
        timeLimit: Duration = .seconds(1),
    ) {
        self.addresses = addresses
        self.name = name
        self.user = user
        self.password = password
        self.timeLimit = timeLimit
    }

    /// The command that logs in to a sentinel; `nil` if none is needed.
    var login: RedisCommand? {
        guard let password = password?.revealed else { return nil }
        return user.map { RedisCommand("AUTH", $0, password) } ?? RedisCommand("AUTH", password)
    }
}
