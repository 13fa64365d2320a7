import Jobs
import Media
import Support
import Testing

@testable import JobsRedis

@Suite("A primary that is about to be replaced", .needsRedis, .timeLimit(.minutes(10)))
struct HalfReplacedTests {
    /// Two replicas that sentinels may promote: one follows, the other was just told that it is the primary.
    private static let replicas = [
        ScriptedSentinel.promotable,
        ScriptedSentinel.promotable.merging(["runid": "2", "role-reported": "master"]) { _, new in new },
    ]

    private static func job(_ id: String) -> Job { Job(id: id, timeLimit: .seconds(60), content: [1]) }

    @Test("while one of two replicas has just been promoted, the other one's confirmation is not enough")
    func halfReplaced() async throws {
        let old = try RedisServer(arguments: ["--min-replicas-to-write", "1", "--repl-diskless-sync-delay", "0"])
        let replicas = try (0..<2).map { _ in
            try RedisServer(arguments: ["--replicaof", "127.0.0.1", "\(old.port)"])
        }
        try await eventually { try old.command("INFO", "replication").contains("min_slaves_good_slaves:2") }
        let sentinel = try await ScriptedSentinel(naming: old.port, replicas: Self.replicas).start()
        let queue = try RedisJobQueue(ScriptedSentinel.settings([sentinel.port]), isStrict: true)
        #expect(try await queue.enqueue(Self.job("1")) == .accepted)
        try replicas[0].command("REPLICAOF", "NO", "ONE")
        try await eventually { try old.command("INFO", "replication").contains("connected_slaves:1") }
        let refusal = await #expect(throws: JobQueueError.self) { try await queue.enqueue(Self.job("2")) }
        #expect(refusal?.description.contains("may or may not be in the queue") == true)
        #expect(try replicas[0].command("XLEN", "attachd:{default}:jobs:hi") == "1")
        #expect(try old.command("XLEN", "attachd:{default}:jobs:hi") == "2")
        // The replica is back, as after a restart: then what all have is acknowledged again.
        try replicas[0].command("REPLICAOF", "127.0.0.1", "\(old.port)")
        try await eventually { try old.command("INFO", "replication").contains("min_slaves_good_slaves:2") }
        #expect(try await queue.enqueue(Self.job("2")) == .known)
        try await queue.leave()
        for replica in replicas { replica.kill() }
        await sentinel.stop()
    }

    @Test("a process that connects now learns from the sentinels that there were two replicas")
    func connectsNow() async throws {
        let old = try RedisServer(arguments: ["--min-replicas-to-write", "1", "--repl-diskless-sync-delay", "0"])
        let replica = try RedisServer(arguments: ["--replicaof", "127.0.0.1", "\(old.port)"])
        try await eventually { try old.command("INFO", "replication").contains("min_slaves_good_slaves:1") }
        let sentinel = try await ScriptedSentinel(naming: old.port, replicas: Self.replicas).start()
        let queue = try RedisJobQueue(ScriptedSentinel.settings([sentinel.port]), isStrict: true)
        let refusal = await #expect(throws: JobQueueError.self) { try await queue.enqueue(Self.job("1")) }
        #expect(refusal?.description.contains("may or may not be in the queue") == true)
        try? await queue.leave()
        replica.kill()
        await sentinel.stop()
    }
}
