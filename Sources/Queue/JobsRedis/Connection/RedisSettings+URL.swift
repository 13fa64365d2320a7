import Foundation
package import Jobs
import Values

extension RedisSettings {
    /// The schemes of URLs, without and with TLS.
    private static let schemes = ["redis", "rediss", "redis-sentinel", "rediss-sentinel"]

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

    /// Reads the addresses and the name. Returns the parts of the URL with one host in place of the list, which is not
    /// valid in a URL.
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
