import JobsRedis
import Media
import Support
import Synchronization
import Values

/// A sentinel that names a server, which a test can change.
final class ScriptedSentinel: Sendable {
    private let port: Mutex<Int>

    init(naming port: Int) { self.port = Mutex(port) }

    func name(_ port: Int) { self.port.withLock { $0 = port } }

    func start() async throws -> ScriptedServer {
        try await ScriptedServer { [self] words in
            guard words.first == "SENTINEL" else { return Array("+OK\r\n".utf8) }
            guard words.last == "mymaster" else { return Array("*-1\r\n".utf8) }
            let port = "\(port.withLock { $0 })"
            return Array("*2\r\n$9\r\n127.0.0.1\r\n$\(port.utf8.count)\r\n\(port)\r\n".utf8)
        }
    }

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
