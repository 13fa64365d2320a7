import Base
import Jobs
import JobsRedis
import Media
import Support
import Synchronization
import Testing

/// Tests of SECURITY.md, R1: a sentinel that lies, or someone who answers in its place, does not get the password.
@Suite("The password and a server that only a sentinel names (R1)", .timeLimit(.minutes(10)))
struct SentinelPasswordTests {
    /// A server that collects what it is sent, on another address of loopback than the sentinels.
    private final class Collector: Sendable {
        static let host = "127.0.0.2"
        let words = Mutex<[[String]]>([])

        func start() async throws -> ScriptedServer {
            try await ScriptedServer(host: Self.host) { [self] command in
                words.withLock { $0.append(command) }
                guard command.first == "INFO" else { return Array("+OK\r\n".utf8) }
                let info = "role:master\r\nredis_version:1.0"
                return Array("$\(info.utf8.count)\r\n\(info)\r\n".utf8)
            }
        }

        var hasPassword: Bool { words.withLock { $0.contains { $0.contains("secret") } } }
    }

    private static func settings(_ ports: [Int], _ servers: PasswordServers = .hosts([])) -> RedisSettings {
        var settings = ScriptedSentinel.settings(ports)
        settings.password = Secret("secret")
        settings.sentinels?.passwordServers = servers
        return settings
    }

    @Test("without TLS, it is not sent to a host that the URL does not list, and the log says what to do")
    func withheld() async throws {
        let collector = Collector()
        let server = try await collector.start()
        let sentinel = try await ScriptedSentinel(naming: server.port, host: Collector.host).start()
        let recorder = RecordedEvents<QueueEvent>()
        let queue = try RedisJobQueue(Self.settings([sentinel.port]), recorder: recorder)
        for _ in 0..<3 {
            let error = await #expect(throws: JobQueueError.self) { try await queue.serverWarnings() }
            #expect(error?.reason == .misconfigured)
            for part in [Collector.host, "rediss-sentinel://", "?servers=\(Collector.host)"] {
                #expect(error?.description.contains(part) == true)
            }
        }
        #expect(!collector.hasPassword)
        // The log names a server once, however often it is named.
        let withheld = recorder.count { if case .passwordWithheld = $0 { true } else { false } }
        #expect(withheld == 1)
        try? await queue.leave()
        for server in [server, sentinel] { await server.stop() }
    }

    @Test(
        "it is sent to a host that the operator listed, by address or by name",
        arguments: [PasswordServers.any, .hosts(["other", Collector.host])]
    )
    func listed(servers: PasswordServers) async throws {
        let collector = Collector()
        let server = try await collector.start()
        let sentinel = try await ScriptedSentinel(naming: server.port, host: Collector.host).start()
        let queue = try RedisJobQueue(Self.settings([sentinel.port], servers))
        // The server is far too old, but it was asked.
        await #expect(throws: JobQueueError.self) { try await queue.serverWarnings() }
        #expect(collector.hasPassword)
        try? await queue.leave()
        for server in [server, sentinel] { await server.stop() }
    }

    @Test("a sentinel's own host may be a name in the URL and an address in its answer", .needsRedis)
    func named() async throws {
        let server = try RedisServer(arguments: ["--requirepass", "secret"])
        let sentinel = try await ScriptedSentinel(naming: server.port).start()
        var settings = Self.settings([sentinel.port])
        settings.sentinels?.addresses = [HostAndPort(host: "localhost", port: sentinel.port)]
        let queue = try RedisJobQueue(settings)
        _ = try await queue.serverWarnings()
        try await queue.leave()
        await sentinel.stop()
    }

    @Test("one sentinel that names another server does not stop the queue", .needsRedis)
    func oneLiar() async throws {
        let collector = Collector()
        let foreign = try await collector.start()
        let server = try RedisServer(arguments: ["--requirepass", "secret"])
        let liar = try await ScriptedSentinel(naming: foreign.port, host: Collector.host).start()
        let honest = try await ScriptedSentinel(naming: server.port).start()
        let queue = try RedisJobQueue(Self.settings([liar.port, honest.port]))
        #expect(try await queue.enqueue(Job(id: "1", timeLimit: .seconds(60), content: [1])) == .accepted)
        #expect(!collector.hasPassword)
        try await queue.leave()
        for server in [foreign, liar, honest] { await server.stop() }
    }
}
