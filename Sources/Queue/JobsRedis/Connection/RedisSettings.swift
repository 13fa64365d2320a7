package import Base
import Foundation
package import Jobs

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
    /// The time within which the replicas must confirm a change before attachd acknowledges it.
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

// MARK: - URLs

extension RedisSettings {
    /// The schemes of URLs, without and with TLS.
    static let schemes = ["redis", "rediss", "redis-sentinel", "rediss-sentinel"]

    /// Reads `redis[s]://[[user]:password@]host[:port][/database][?namespace=…&lane=…]`, or
    /// `redis[s]-sentinel://[[user]:password@]host[:port][,host[:port]…]/name[/database][?…]`, which also takes
    /// `sentinelUser`, `sentinelPassword` and `servers`.
    package init(url: String) throws(JobQueueError) {
        let scheme = url.range(of: "://").map { String(url[..<$0.lowerBound]) } ?? ""
        guard Self.schemes.contains(scheme) else { throw Self.malformed }
        self.init(usesTLS: scheme.hasPrefix("rediss"))
        let parts = scheme.hasSuffix("-sentinel") ? try readSentinels(url, scheme: scheme) : try readServer(url)
        user = parts.user.flatMap { $0.isEmpty ? nil : $0 }
        password = parts.password.map { Secret($0) }
        if user != nil, password == nil { throw Self.refusal("a user without a password cannot log in") }
        try readQuery(parts.queryItems ?? [])
    }

    private mutating func readServer(_ url: String) throws(JobQueueError) -> URLComponents {
        guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty, parts.fragment == nil
        else { throw Self.malformed }
        server.host = host.trimmingCharacters(in: ["[", "]"])
        if let port = parts.port {
            guard (1...65_535).contains(port) else { throw Self.refusal("its port must be from 1 to 65535") }
            server.port = port
        }
        try readDatabase(parts.path.drop { $0 == "/" })
        return parts
    }

    /// Reads the addresses and the name. Returns the parts of the URL with one host instead of the list, because a list
    /// is not valid in a URL.
    private mutating func readSentinels(_ url: String, scheme: String) throws(JobQueueError) -> URLComponents {
        let rest = url.dropFirst(scheme.count + 3)
        let authority = rest.prefix { !"/?#".contains($0) }
        let list = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        let single = "redis://\(authority[..<list.startIndex])sentinels\(rest[authority.endIndex...])"
        guard let parts = URLComponents(string: single), parts.fragment == nil else { throw Self.malformed }
        var addresses: [HostAndPort] = []
        for text in list.split(separator: ",", omittingEmptySubsequences: false) {
            let hasPort = text.contains(":") && !text.hasSuffix("]")
            guard let address = HostAndPort(hasPort ? String(text) : "\(text):\(SentinelGroup.defaultPort)"),
                address.port > 0, address.host.allSatisfy(Self.isHostCharacter)
            else { throw Self.refusal("each sentinel must have the form host:port, and a port from 1 to 65535") }
            if !addresses.contains(address) { addresses.append(address) }
        }
        let path = parts.path.dropFirst().split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = path.first, Self.isName(String(name)) else {
            throw Self.refusal("after the sentinels it needs the name of their primary, such as /mymaster")
        }
        try readDatabase(path.count > 1 ? path[1] : "")
        sentinels = SentinelGroup(addresses, name: String(name))
        return parts
    }

    private mutating func readDatabase(_ path: Substring) throws(JobQueueError) {
        guard !path.isEmpty else { return }
        guard let number = Int(path), number >= 0 else {
            throw Self.refusal(sentinels == nil ? "its path must be a number" : "its database must be a number")
        }
        database = number
    }

    private mutating func readQuery(_ items: [URLQueryItem]) throws(JobQueueError) {
        for item in items {
            let value = item.value ?? ""
            switch item.name {
            case "sentinelUser" where sentinels != nil && !value.isEmpty: sentinels?.user = value
            case "sentinelPassword" where sentinels != nil && !value.isEmpty: sentinels?.password = Secret(value)
            case "servers" where sentinels != nil: sentinels?.passwordServers = try Self.passwordServers(value)
            case "namespace" where Self.isName(value): namespace = value
            case "lane" where Self.isName(value): lane = value
            case "namespace", "lane":
                throw Self.refusal("'\(item.name)' may have letters, digits, '-', '_' and '.' only")
            case "sentinelUser", "sentinelPassword", "servers":
                throw Self.refusal("'\(item.name)' belongs to redis-sentinel:// and must not be empty")
            // The name is not repeated: a password with a question mark ends up here.
            default: throw Self.refusal("a name in its query is unknown; write 'namespace', 'lane' or 'servers'")
            }
        }
        if sentinels?.user != nil, sentinels?.password == nil {
            throw Self.refusal("'sentinelUser' needs 'sentinelPassword'")
        }
    }

    private static func passwordServers(_ list: String) throws(JobQueueError) -> PasswordServers {
        guard list != "any" else { return .any }
        let hosts = list.split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: ["[", "]"]) }
        guard hosts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isHostCharacter) }) else {
            throw refusal("'servers' must be a list of hosts without ports, such as 10.0.0.7,redis-2, or 'any'")
        }
        return .hosts(hosts)
    }

    private static func isHostCharacter(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "-_.:%".contains(character)
    }

    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
    }

    private static var malformed: JobQueueError {
        refusal(
            "it must have the form redis://host:port, rediss://host:port or redis-sentinel://host:port,host:port/name"
        )
    }

    /// Returns an error that does not repeat the URL, because it may hold a password.
    private static func refusal(_ reason: String) -> JobQueueError {
        JobQueueError(.misconfigured, "The queue's URL cannot be used: \(reason).")
    }
}

// MARK: - Sentinels

/// The sentinels that know the primary of a group of servers, and the name under which they know it.
package struct SentinelGroup: Sendable, Equatable {
    /// The default port of a sentinel.
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

    /// The command that logs in to a sentinel; `nil` if no login is needed.
    var login: RedisCommand? {
        guard let password = password?.revealed else { return nil }
        return user.map { RedisCommand("AUTH", $0, password) } ?? RedisCommand("AUTH", password)
    }
}

/// The servers that may get a password without TLS.
package enum PasswordServers: Sendable, Equatable {
    /// Every server that a sentinel names, for a network in which only sentinels can answer.
    case any
    /// The hosts of the sentinels themselves, and these.
    case hosts([String])
}
