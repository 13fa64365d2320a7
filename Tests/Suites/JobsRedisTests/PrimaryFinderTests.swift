import Base
import Jobs
import JobsRedis
import Media
import Support
import Synchronization
import Testing

/// Sentinels whose answers a test scripts, and real servers behind them.
@Suite("Finding the primary by sentinels", .needsRedis, .timeLimit(.minutes(10)))
struct PrimaryFinderTests {
    private typealias Sentinel = ScriptedSentinel

    private static func settings(_ ports: [Int], name: String = "mymaster") -> RedisSettings {
        ScriptedSentinel.settings(ports, name: name)
    }

    private static func job(_ id: String) -> Job { Job(id: id, timeLimit: .seconds(60), content: [1]) }

    @Test("sentinels that are down are passed over")
    func passedOver() async throws {
        let server = try RedisServer()
        let gone = try RedisServer()
        gone.kill()
        let sentinel = try await Sentinel(naming: server.port).start()
        let queue = try RedisJobQueue(Self.settings([gone.port, gone.port, sentinel.port]))
        #expect(try await queue.enqueue(Self.job("1")) == .accepted)
        try await queue.leave()
        await sentinel.stop()
    }

    @Test("a sentinel that names a replica is not believed: another one is asked")
    func stale() async throws {
        let primary = try RedisServer()
        let replica = try RedisServer(arguments: ["--replicaof", "127.0.0.1", "\(primary.port)"])
        let wrong = try await Sentinel(naming: replica.port).start()
        let right = try await Sentinel(naming: primary.port).start()
        let queue = try RedisJobQueue(Self.settings([wrong.port, right.port]))
        #expect(try await queue.enqueue(Self.job("1")) == .accepted)
        try await queue.leave()
        for sentinel in [wrong, right] { await sentinel.stop() }
    }

    @Test("a primary that was made a replica and still answers is left")
    func demoted() async throws {
        let (old, new) = (try RedisServer(), try RedisServer())
        let sentinel = Sentinel(naming: old.port)
        let scripted = try await sentinel.start()
        let queue = try RedisJobQueue(Self.settings([scripted.port]))
        #expect(try await queue.enqueue(Self.job("1")) == .accepted)
        sentinel.name(new.port)
        try old.command("REPLICAOF", "127.0.0.1", "\(new.port)")
        #expect(try await queue.enqueue(Self.job("2")) == .accepted)
        #expect(try new.command("XLEN", "attachd:{default}:jobs:hi") == "1")
        // The connection for reading was blocked or idle while its server became a replica.
        #expect(try await queue.lease(1, waiting: .seconds(20)).map(\.job.id) == ["2"])
        try await queue.leave()
        await scripted.stop()
    }

    @Test("wrong settings are reported as such")
    func misconfigured() async throws {
        let server = try RedisServer()
        let sentinel = try await Sentinel(naming: server.port).start()
        let closed = try await ScriptedServer { _ in Array("-NOAUTH Authentication required.\r\n".utf8) }
        let cases = [
            (Self.settings([sentinel.port], name: "other"), "does not know 'other'"),
            (Self.settings([closed.port]), "sentinelPassword"), (Self.settings([server.port]), "like a sentinel"),
        ]
        for (settings, words) in cases {
            let queue = try RedisJobQueue(settings)
            let error = await #expect(throws: JobQueueError.self) { try await queue.serverWarnings() }
            #expect(error?.reason == .misconfigured)
            #expect(error?.description.contains(words) == true)
            try? await queue.leave()
        }
        for server in [sentinel, closed] { await server.stop() }
    }

    @Test("a sentinel gets the user and password that it needs")
    func password() async throws {
        let server = try RedisServer()
        let port = "\(server.port)"
        let isLoggedIn = Mutex(false)
        let sentinel = try await ScriptedServer { words in
            if words == ["AUTH", "watcher", "secret"] { isLoggedIn.withLock { $0 = true } }
            guard isLoggedIn.withLock({ $0 }) else { return Array("-NOAUTH Authentication required.\r\n".utf8) }
            guard words.first == "SENTINEL" else { return Array("+OK\r\n".utf8) }
            return Array("*2\r\n$9\r\n127.0.0.1\r\n$\(port.utf8.count)\r\n\(port)\r\n".utf8)
        }
        var settings = Self.settings([sentinel.port])
        settings.sentinels?.user = "watcher"
        settings.sentinels?.password = Secret("secret")
        let queue = try RedisJobQueue(settings)
        #expect(try await queue.enqueue(Self.job("1")) == .accepted)
        try await queue.leave()
        await sentinel.stop()
    }

    @Test("a strict queue refuses a primary that may accept jobs without replicas, and says what to do")
    func withoutReplicas() async throws {
        let server = try RedisServer()
        let sentinel = try await Sentinel(naming: server.port).start()
        let queue = try RedisJobQueue(Self.settings([sentinel.port]), isStrict: true)
        let error = await #expect(throws: JobQueueError.self) { try await queue.enqueue(Self.job("1")) }
        #expect(error?.reason == .misconfigured)
        #expect(error?.description.contains("min-replicas-to-write 1") == true)
        let lenient = try RedisJobQueue(Self.settings([sentinel.port]))
        #expect(try await lenient.serverWarnings().count == 1)
        for queue in [queue, lenient] { try? await queue.leave() }
        await sentinel.stop()
    }

    @Test("a worker with only the documented rights waits for replicas")
    func rights() async throws {
        let server = try RedisServer(arguments: ["--min-replicas-to-write", "1", "--repl-diskless-sync-delay", "0"])
        let replica = try RedisServer(arguments: ["--replicaof", "127.0.0.1", "\(server.port)"])
        try await eventually { try server.command("INFO", "replication").contains("min_slaves_good_slaves:1") }
        try server.command(
            ["ACL", "SETUSER", "worker", "on", ">secret", "~attachd:{default}:*", "+wait"] + UserTests.workerRights
        )
        let sentinel = try await Sentinel(naming: server.port).start()
        var settings = Self.settings([sentinel.port])
        (settings.user, settings.password) = ("worker", Secret("secret"))
        let queue = try RedisJobQueue(settings, isStrict: true)
        #expect(try await queue.enqueue(Self.job("1")) == .accepted)
        #expect(try await queue.enqueue(Self.job("1")) == .known)
        try await queue.leave()
        replica.kill()
        await sentinel.stop()
    }

    @Test("an answer is not posted while no replica has it, and that is no attempt to post it")
    func unconfirmedCallback() async throws {
        let server = try RedisServer(arguments: ["--min-replicas-to-write", "1", "--repl-diskless-sync-delay", "0"])
        let replica = try RedisServer(arguments: ["--replicaof", "127.0.0.1", "\(server.port)"])
        try await eventually { try server.command("INFO", "replication").contains("min_slaves_good_slaves:1") }
        let sentinel = try await Sentinel(naming: server.port).start()
        let queue = try RedisJobQueue(Self.settings([sentinel.port]), isStrict: true)
        var job = Self.job("1")
        job.answer.callback = "http://127.0.0.1/"
        #expect(try await queue.enqueue(job) == .accepted)
        let lease = try #require(try await queue.lease(1, waiting: .seconds(20)).first).lease
        #expect(try await queue.finish(lease, with: JobReply(.ok, body: [1])))
        try server.command("CONFIG", "SET", "min-replicas-to-write", "0")
        replica.kill()
        for _ in 0..<3 {
            let error = await #expect(throws: JobQueueError.self) { try await queue.leaseCallbacks(1) }
            #expect(error?.reason == .unavailable)
        }
        #expect(try server.command("HGET", "attachd:{default}:callback:\(lease.entry)", "fence") == "0")
        try? await queue.leave()
        await sentinel.stop()
    }

    @Test(
        "an answer that no replica has is not given to the producer, and the new primary takes the next one by its fence"
    )
    func unconfirmedAnswer() async throws {
        let old = try RedisServer(arguments: ["--min-replicas-to-write", "1", "--repl-diskless-sync-delay", "0"])
        let new = try RedisServer(
            arguments: [
                "--replicaof", "127.0.0.1", "\(old.port)", "--min-replicas-to-write", "1",
                "--repl-diskless-sync-delay", "0",
            ]
        )
        try await eventually { try old.command("INFO", "replication").contains("min_slaves_good_slaves:1") }
        let sentinel = Sentinel(naming: old.port)
        let scripted = try await sentinel.start()
        let worker = try RedisJobQueue(Self.settings([scripted.port]), isStrict: true)
        let producer = try RedisJobQueue(Self.settings([scripted.port]), isStrict: true)
        let job = Self.job("1")
        #expect(try await producer.enqueue(job) == .accepted)
        let lease = try #require(try await worker.lease(1, waiting: .seconds(20)).first).lease
        #expect(try await worker.start(lease))

        // From now on, the old primary answers without replicas, as in the moment before it dies.
        try old.command("CONFIG", "SET", "min-replicas-to-write", "0")
        new.kill()
        let refusal = await #expect(throws: JobQueueError.self) {
            try await worker.finish(lease, with: JobReply(.ok, body: [1]))
        }
        #expect(refusal?.reason == .unavailable)
        #expect(try old.command("XLEN", "attachd:{default}:jobs:hi") == "0")
        let unread = await #expect(throws: JobQueueError.self) {
            try await producer.state(of: job.name, waiting: .zero)
        }
        #expect(unread?.reason == .unavailable)
        let unknown = await #expect(throws: JobQueueError.self) { try await producer.enqueue(Self.job("2")) }
        #expect(unknown?.description.contains("may or may not be in the queue") == true)

        old.kill()
        try new.restart()
        try new.command("REPLICAOF", "NO", "ONE")
        let follower = try RedisServer(arguments: ["--replicaof", "127.0.0.1", "\(new.port)"])
        try await eventually { try new.command("INFO", "replication").contains("min_slaves_good_slaves:1") }
        sentinel.name(new.port)
        #expect(try await producer.state(of: job.name, waiting: .zero) == .running)
        #expect(try await worker.finish(lease, with: JobReply(.ok, body: [2])))
        #expect(try await worker.finish(lease, with: JobReply(.ok, body: [3])) == false)
        #expect(try await producer.state(of: job.name, waiting: .zero) == .finished(JobReply(.ok, body: [2])))
        #expect(try await producer.enqueue(Self.job("2")) == .accepted)
        for queue in [worker, producer] { try await queue.leave() }
        follower.kill()
        await scripted.stop()
    }
}
