import Foundation
package import Jobs
import Media
package import Values

/// The address of the Redis server, its credentials, and the queue's name on it.
package struct RedisSettings: Sendable, Equatable {
    package var host: String
    package var port: Int
    /// The ACL user. With a password, `nil` means Redis's `default` user.
    package var user: String?
    package var password: Secret<String>?
    package var database: Int
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

    package init(
        host: String = "127.0.0.1",
        port: Int = 6379,
        user: String? = nil,
        password: Secret<String>? = nil,
        database: Int = 0,
        usesTLS: Bool = false,
        authoritiesFile: String? = nil,
        namespace: String = "attachd",
        lane: String = "default",
        timeLimit: Duration = .seconds(3),
        connectLimit: Duration = .seconds(2),
    ) {
        self.host = host
        self.port = port
        self.user = user
        self.password = password
        self.database = database
        self.usesTLS = usesTLS
        self.authoritiesFile = authoritiesFile
        self.namespace = namespace
        self.lane = lane
        self.timeLimit = timeLimit
        self.connectLimit = connectLimit
    }

    /// Reads `redis[s]://[[user]:password@]host[:port][/database][?namespace=…&lane=…]`.
    package init(url: String) throws(JobQueueError) {
        guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty,
            let scheme = parts.scheme, ["redis", "rediss"].contains(scheme), parts.fragment == nil
        else { throw Self.refusal("it must have the form redis://host:port or rediss://host:port") }
        self.init(host: host.trimmingCharacters(in: ["[", "]"]), usesTLS: scheme == "rediss")
        if let port = parts.port {
            guard (1...65_535).contains(port) else { throw Self.refusal("its port must be from 1 to 65535") }
            self.port = port
        }
        user = parts.user.flatMap { $0.isEmpty ? nil : $0 }
        password = parts.password.map { Secret($0) }
        if user != nil, password == nil { throw Self.refusal("a user without a password cannot log in") }
        let path = parts.path.drop { $0 == "/" }
        if !path.isEmpty {
            guard let database = Int(path), database >= 0 else { throw Self.refusal("its path must be a number") }
            self.database = database
        }
        for item in parts.queryItems ?? [] {
            guard let value = item.value, Self.isName(value) else {
                throw Self.refusal("'\(item.name)' may have letters, digits, '-', '_' and '.' only")
            }
            switch item.name {
            case "namespace": namespace = value
            case "lane": lane = value
            default: throw Self.refusal("'\(item.name)' is unknown; write 'namespace' or 'lane'")
            }
        }
    }

    /// The common prefix of the queue's keys.
    package var prefix: String { "\(namespace):{\(lane)}:" }

    /// The host and port for messages, without secrets.
    var address: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
    }

    /// Returns an error that does not repeat the URL, because it may hold a password.
    private static func refusal(_ reason: String) -> JobQueueError {
        JobQueueError(.misconfigured, "The queue's URL cannot be used: \(reason).")
    }
}
