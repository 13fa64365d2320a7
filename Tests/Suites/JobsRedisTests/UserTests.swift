import Base
import Jobs
import JobsContract
import JobsRedis
import Support
import Testing

@Suite("Users of a Redis with few rights", .needsRedis, .sharedServerWithTLS, .timeLimit(.minutes(10)))
struct UserTests {
    /// The rights of a worker according to `Samples/redis/README.md`.
    static let workerRights = [
        "+@stream", "+@scripting", "+@hash", "+@sortedset", "+get", "+mget", "+set", "+del", "+exists", "+rename",
        "+pexpire", "+ping", "+info", "+scan", "+time", "+select", "+client|setname",
    ]

    @Test("a worker with only the rights it needs keeps the contract", arguments: QueueRule.all)
    func worker(rule: QueueRule) async throws {
        let server = try SharedServer.get()
        let store = RedisStore(server, user: "worker", password: "secret")
        try server.command(
            ["ACL", "SETUSER", "worker", "on", ">secret", "~attachd:{test-*}:*"] + Self.workerRights
        )
        try await rule.check(store)
    }

    @Test("a worker with those rights takes back what the fleet has", arguments: FleetRule.all)
    func fleet(rule: FleetRule) async throws {
        let server = try SharedServer.get()
        let store = RedisStore(server, user: "fleet", password: "secret")
        try server.command(["ACL", "SETUSER", "fleet", "on", ">secret", "~attachd:{test-*}:*"] + Self.workerRights)
        try await rule.check((a: try store.queue(), b: try store.queue()))
        try await store.close()
    }

    @Test("a worker with those rights shares what the fleet prepared, for as long as it lives")
    func table() async throws {
        let server = try SharedServer.get()
        let store = RedisStore(server, user: "sharer", password: "secret")
        try server.command(
            ["ACL", "SETUSER", "sharer", "on", ">secret", "~attachd:{test-*}:*"] + Self.workerRights
        )
        let queue = try store.queue()
        #expect(try await queue.value(of: "a", in: "ready:1") == nil)
        try await queue.set("a", in: "ready:1", to: [1, 0, 255], for: .seconds(60))
        #expect(try await queue.value(of: "a", in: "ready:1") == [1, 0, 255])
        try await queue.remove(table: "ready:1")
        #expect(try await queue.value(of: "a", in: "ready:1") == nil)
        try await queue.set("a", in: "ready:2", to: [1], for: .milliseconds(1))
        try await eventually { try await queue.value(of: "a", in: "ready:2") == nil }
        try await store.close()
    }

    @Test("a wrong password is reported as such")
    func wrongPassword() async throws {
        let server = try SharedServer.get()
        let store = RedisStore(server, user: "nobody", password: "wrong")
        let queue = try store.queue()
        let error = await #expect(throws: JobQueueError.self) { try await queue.status() }
        #expect(error?.reason == .misconfigured)
        #expect(error?.description.contains("wrong") == false)
        try await store.close()
    }

    @Test("a tenant that writes to the stream itself gets its own answers only")
    func tenant() async throws {
        let server = try SharedServer.get()
        let store = RedisStore(server)
        let prefix = store.settings.prefix
        let name = store.settings.lane
        try server.command([
            "ACL", "SETUSER", name, "on", ">secret", "%W~\(prefix)jobs:*", "%R~\(prefix)reply:\(name)*", "+xadd",
            "+xread", "+ping",
        ])
        func tell(_ words: String...) throws -> String {
            try server.command(["--user", name, "--pass", "secret", "--no-auth-warning"] + words)
        }
        let queue = try store.queue()
        let added = try tell(
            "XADD",
            prefix + "jobs:hi",
            "*",
            "v",
            "1",
            "j",
            "7",
            "t",
            name,
            "b",
            "60000",
            "p",
            name,
            "y",
            "{}"
        )
        #expect(added.contains("-"))
        let leased = try #require(try await queue.lease(1, waiting: .seconds(60)).first)
        #expect(leased.job.name == JobName(id: "7", tenant: name))
        #expect(try await queue.finish(leased.lease, with: JobReply(.ok, body: Array("done".utf8))))
        #expect(try tell("XREAD", "STREAMS", prefix + "reply:\(name)", "0").contains("done"))

        let forbidden = [
            ["XREADGROUP", "GROUP", "workers", name, "STREAMS", prefix + "jobs:hi", ">"],
            ["XREAD", "STREAMS", prefix + "reply:other", "0"], ["XREAD", "STREAMS", prefix + "jobs:hi", "0"],
            ["XADD", prefix + "reply:\(name)", "*", "a", "b"], ["EVAL", "return 1", "0"], ["GET", prefix + "meta"],
        ]
        for words in forbidden {
            #expect(
                try server.command(["--user", name, "--pass", "secret", "--no-auth-warning"] + words).contains("NOPERM")
            )
        }
        try await store.close()
    }
}
