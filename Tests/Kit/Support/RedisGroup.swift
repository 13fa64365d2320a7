import Foundation
import Synchronization

/// A primary, two replicas and three sentinels on free ports of loopback. They end with this value.
///
/// The sentinels know each other and the replicas from the start, and look often, so that a fail-over takes a second or
/// two.
package final class RedisGroup: Sendable {
    /// Sentinels of another process on this machine have another name, and leave these servers alone.
    package static let name = "group-\(UInt32.random(in: 0 ... .max))"

    /// The servers. The first one is the primary until it is killed.
    package let servers: [RedisServer]
    package let sentinelPorts: [Int]
    private let sentinels: Mutex<[ChildProgram]>
    private let folder: TemporaryFolder

    /// Starts all six. `arguments` are added to those of each `redis-server`.
    package init(arguments: [String] = []) async throws {
        let folder = try TemporaryFolder()
        let primary = try RedisServer(arguments: arguments + ["--repl-diskless-sync-delay", "0"])
        let replicas = try (0..<2).map { _ in
            try RedisServer(arguments: arguments + ["--replicaof", "127.0.0.1", "\(primary.port)"])
        }
        self.folder = folder
        servers = [primary] + replicas
        try await eventually {
            try replicas.allSatisfy { try $0.command("INFO", "replication").contains("master_link_status:up") }
        }
        // Another process may take a port between its choice and the sentinel's start.
        var (ports, started): ([Int], [ChildProgram]) = ([], [])
        for _ in 0..<5 where started.isEmpty {
            ports = try (0..<3).map { _ in try TestPort.free() }
            started = try Self.sentinels(at: ports, primary.port, replicas.map(\.port), in: folder.url)
        }
        guard !started.isEmpty else { throw CocoaError(.executableLoad) }
        sentinelPorts = ports
        sentinels = Mutex([])
        sentinels.withLock { $0 = started }
        for port in ports { _ = try tell(port, ["SENTINEL", "DEBUG"] + Self.haste) }
    }

    /// Starts the sentinels. Returns none if one of them cannot listen.
    private static func sentinels(at ports: [Int], _ primary: Int, _ replicas: [Int], in folder: URL) throws
        -> [ChildProgram]
    {
        var started: [ChildProgram] = []
        for index in ports.indices {
            let file = folder.appending(path: "sentinel-\(index).conf")
            let text = configuration(of: index, ports, primary: primary, replicas: replicas)
            try text.write(to: file, atomically: true, encoding: .utf8)
            let process = try ChildProgram([RedisServer.program, file.path, "--sentinel"], in: folder)
            started.append(process)
            guard try process.readLine(where: { $0.contains("+monitor master") }) == nil else { continue }
            for process in started { process.kill() }
            return []
        }
        return started
    }

    deinit { kill() }

    /// Kills all servers and sentinels.
    package func kill() {
        sentinels.withLock { sentinels in
            for sentinel in sentinels { sentinel.kill() }
            sentinels = []
        }
        for server in servers { server.kill() }
    }

    /// Sends words to a sentinel, and returns the output of `redis-cli`.
    @discardableResult
    package func tell(_ port: Int, _ words: [String]) throws -> String {
        let client = try ChildProgram(["/usr/bin/redis-cli", "-p", "\(port)"] + words, in: folder.url)
        let output = String(decoding: try client.readToEnd(), as: UTF8.self)
        client.wait()
        return output.trimmingCharacters(in: .newlines)
    }

    /// The periods in milliseconds at which the sentinels look at the servers and ask each other.
    private static let haste = [
        "ping-period", "100", "ask-period", "100", "info-period", "300", "publish-period", "200",
    ]

    private static func configuration(of index: Int, _ ports: [Int], primary: Int, replicas: [Int]) -> String {
        // Made of the ports, so that no two sentinels of this machine have the same identifier.
        let identifiers = ports.map { port in
            let digits = String(port, radix: 16)
            return String(repeating: "0", count: 40 - digits.count) + digits
        }
        var lines = [
            "port \(ports[index])", "bind 127.0.0.1", "sentinel myid \(identifiers[index])",
            "sentinel monitor \(name) 127.0.0.1 \(primary) 2", "sentinel down-after-milliseconds \(name) 400",
            "sentinel failover-timeout \(name) 2000", "sentinel parallel-syncs \(name) 2",
        ]
        lines += replicas.map { "sentinel known-replica \(name) 127.0.0.1 \($0)" }
        for other in ports.indices where other != index {
            lines.append("sentinel known-sentinel \(name) 127.0.0.1 \(ports[other]) \(identifiers[other])")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
