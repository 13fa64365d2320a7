import Base
import JobsRedis
import Media
import Support
import Synchronization

/// A sentinel that names a server, which a test can change, and its replicas.
final class ScriptedSentinel: Sendable {
    private let port: Mutex<Int>
    /// The host of the server that it names.
    private let host: String
    /// The fields of each replica, as in the reply to `SENTINEL replicas`.
    private let replicas: [[String: String]]

    init(naming port: Int, host: String = "127.0.0.1", replicas: [[String: String]] = []) {
        self.host = host
        self.port = Mutex(port)
        self.replicas = replicas
    }

    func name(_ port: Int) { self.port.withLock { $0 = port } }

    func start() async throws -> ScriptedServer {
        try await ScriptedServer { [self] words in
            guard words.first == "SENTINEL" else { return Array("+OK\r\n".utf8) }
            guard words.last == "mymaster" else { return Array("*-1\r\n".utf8) }
            if words[1] == "replicas" {
                let lists = replicas.map { Self.list($0.flatMap { [$0.key, $0.value] }) }
                return Array("*\(lists.count)\r\n\(lists.joined())".utf8)
            }
            return Array(Self.list([host, "\(port.withLock { $0 })"]).utf8)
        }
    }

    private static func list(_ words: [String]) -> String {
        "*\(words.count)\r\n" + words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
    }

    /// The fields of a replica that may be promoted.
    static let promotable = [
        "runid": "1", "flags": "slave", "last-ok-ping-reply": "521", "master-link-status": "ok",
        "master-link-down-time": "0",
        "master-host": "127.0.0.1", "slave-priority": "100",
    ]

    /// The settings of a queue that asks sentinels at these ports, with time enough for a busy machine.
    static func settings(_ ports: [Int], name: String = "mymaster") -> RedisSettings {
        RedisSettings(
            sentinels: SentinelGroup(
                ports.map { HostAndPort(host: "127.0.0.1", port: $0) },
                name: name,
                timeLimit: .seconds(20),
            ),
            timeLimit: .seconds(20),
            connectLimit: .seconds(20),
            replicationLimit: .seconds(20),
        )
    }
}
