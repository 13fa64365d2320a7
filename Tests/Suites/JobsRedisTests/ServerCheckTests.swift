import Jobs
import Support
import Testing

@testable import JobsRedis

@Suite("The check of a Redis", .timeLimit(.minutes(10)))
struct ServerCheckTests {
    private static func info(
        version: String = "7.0.15",
        role: String = "master",
        aof: String = "1",
        policy: String = "noeviction",
    ) -> String {
        "# Server\r\nredis_version:\(version)\r\nrole:\(role)\r\naof_enabled:\(aof)\r\nmaxmemory_policy:\(policy)\r\n"
    }

    @Test(
        "a suitable server causes no warning",
        arguments: [info(), info(version: "6.2.0"), info(version: "8.2"), info(policy: "volatile-ttl")]
    )
    func fit(info: String) throws {
        #expect(try ServerCheck(ServerInfo(info)).warnings.isEmpty)
    }

    @Test(
        "settings that put jobs at risk are named, with a remedy",
        arguments: [
            (info(role: "slave"), "master's address"), (info(aof: "0"), "appendonly yes"),
            (info(policy: "allkeys-lru"), "maxmemory-policy noeviction"),
        ]
    )
    func risky(info: String, remedy: String) throws {
        let warnings = try ServerCheck(ServerInfo(info)).warnings
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains(remedy) == true)
    }

    @Test(
        "before 7.0, scripts do not obey the number of replicas, which matters with sentinels",
        arguments: [true, false]
    )
    func disobedient(hasSentinels: Bool) throws {
        let info = ServerInfo(Self.info(version: "6.2.14") + "min_slaves_good_slaves:1\r\n")
        let warnings = try ServerCheck(info, hasSentinels: hasSentinels).warnings
        #expect(warnings.count == (hasSentinels ? 1 : 0))
        #expect(warnings.allSatisfy { $0.contains("Use Redis 7.0") })
    }

    @Test("a server that is too old is refused", arguments: ["6.0.16", "5.0.14", "2.8"])
    func old(version: String) {
        let error = #expect(throws: JobQueueError.self) { try ServerCheck(ServerInfo(Self.info(version: version))) }
        #expect(error?.reason == .misconfigured)
    }

    @Test("a reply without a version is not from a Redis", arguments: ["", "hello", "redis_version:x"])
    func stranger(info: String) {
        let error = #expect(throws: JobQueueError.self) { try ServerCheck(ServerInfo(info)) }
        #expect(error?.reason == .broken)
    }

    @Test("a real server without a log on disk causes a warning, or a refusal on request", .needsRedis)
    func withoutLog() async throws {
        let server = try RedisServer(arguments: ["--appendonly", "no"])
        defer { server.kill() }
        let store = RedisStore(server)
        let queue = try store.queue()
        #expect(try await queue.serverWarnings().count == 1)
        let error = await #expect(throws: JobQueueError.self) { try await queue.serverWarnings(strict: true) }
        #expect(error?.reason == .misconfigured)
        try await store.close()
    }
}
