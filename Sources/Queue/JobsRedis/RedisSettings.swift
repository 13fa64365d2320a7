import Foundation
package import Jobs
import Media
package import Values

/// Where the Redis is, how it is spoken to, and which queue of it is meant.
package struct RedisSettings: Sendable, Equatable {
    package var host: String
    package var port: Int
    /// An ACL user; `nil` with a password is Redis's `default` user.
    package var user: String?
    package var password: Secret<String>?
    package var database: Int
    package var usesTLS: Bool
    /// Authorities to trust beside the system's, as a file in PEM form.
    package var authoritiesFile: String?
    /// The first part of every key.
    package var namespace: String
    /// The queue's name; the braces round it keep its keys together in a cluster.
    package var lane: String
    /// How long a command may take, the time for connecting included. A blocking read may take so much longer.
    package var timeLimit: Duration
    /// How long one attempt to connect may take.
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
        else { throw Self.refusal("it must read redis://host:port or rediss://host:port") }
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
                throw Self.refusal("'\(item.name)' must have letters, digits, '-', '_' and '.' only")
            }
            switch item.name {
            case "namespace": namespace = value
            case "lane": lane = value
            default: throw Self.refusal("'\(item.name)' is unknown; there are 'namespace' and 'lane'")
            }
        }
    }

    /// What every key of the queue begins with.
    package var prefix: String { "\(namespace):{\(lane)}:" }

    /// For messages: no secrets.
    var address: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
    }

    /// The URL itself may hold a password: it is never repeated.
    private static func refusal(_ reason: String) -> JobQueueError {
        JobQueueError(.misconfigured, "The queue's URL cannot be used: \(reason).")
    }
}
