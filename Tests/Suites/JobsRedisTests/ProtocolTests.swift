import Base
import Jobs
import JobsContract
import Support
import Testing

@testable import JobsRedis

@Suite("Redis as producers and administrators see it", .needsRedis, .sharedServer, .timeLimit(.minutes(10)))
struct ProtocolTests {
    private let store: RedisStore
    private let server: RedisServer
    private var prefix: String { store.settings.prefix }

    init() throws {
        server = try SharedServer.get()
        store = RedisStore(server)
    }

    private static func job(_ id: String, tenant: String = "default", producer: String? = nil) -> Job {
        Job(id: id, tenant: tenant, timeLimit: .seconds(60), content: [1], answer: Job.Answer(producer: producer))
    }

    @Test("an answer goes to its producer's stream, and to no other")
    func replyStream() async throws {
        let queue = try store.queue()
        #expect(try await queue.enqueue(Self.job("1", tenant: "news", producer: "gateway")) == .accepted)
        let leased = try await queue.lease(1, waiting: .seconds(60))
        #expect(
            try await queue.finish(#require(leased.first).lease, with: JobReply(.degraded, body: Array("body".utf8)))
        )
        let entry = try server.command("XRANGE", prefix + "reply:gateway", "-", "+").split(separator: "\n").dropFirst()
        #expect(entry == ["j", "1", "t", "news", "s", "degraded", "y", "body"])
        #expect(try Int(server.command("PTTL", prefix + "reply:gateway")) ?? 0 > 0)
        try await store.close()
    }

    @Test("a job that was withdrawn is answered as cancelled on its producer's stream")
    func cancelled() async throws {
        let queue = try store.queue()
        #expect(try await queue.enqueue(Self.job("1", producer: "gateway")) == .accepted)
        #expect(try await queue.cancel(JobName(id: "1")) == .cancelled)
        #expect(try server.command("XRANGE", prefix + "reply:gateway", "-", "+").contains("cancelled"))
        try await store.close()
    }

    @Test("a repeated start, after its first reply was lost, counts once")
    func startTwice() async throws {
        let queue = try store.queue(QueueLimits(leaseTime: .milliseconds(50)))
        #expect(try await queue.enqueue(Self.job("1")) == .accepted)
        let lease = try #require(try await queue.lease(1, waiting: .seconds(60)).first).lease
        #expect(try await queue.start(lease))
        #expect(try await queue.start(lease))
        var reclaimed: [LeasedJob] = []
        while reclaimed.isEmpty { reclaimed = try await queue.reclaim(1) }
        #expect(reclaimed.map(\.starts) == [1])
        try await store.close()
    }

    @Test("a worker that lost a job and reclaimed it has a new lease; the old one is void")
    func rescuedFromItself() async throws {
        let queue = try store.queue(QueueLimits(leaseTime: .milliseconds(50)))
        #expect(try await queue.enqueue(Self.job("1")) == .accepted)
        let old = try #require(try await queue.lease(1, waiting: .seconds(60)).first).lease
        var reclaimed: [LeasedJob] = []
        while reclaimed.isEmpty { reclaimed = try await queue.reclaim(1) }
        #expect(try await !queue.start(old))
        #expect(try await queue.renew([old]) == [old])
        #expect(try await !queue.finish(old, with: JobReply(.ok, body: [])))
        try await queue.giveBack([old])
        #expect(try await queue.finish(reclaimed[0].lease, with: JobReply(.ok, body: [])))
        try await store.close()
    }

    @Test(
        "an entry that is not a job is answered as failed, and delays nothing",
        arguments: [
            ["y", "{}"], ["j", "1", "y", "{}"], ["j", "1", "b", "soon"], ["j", "1", "b", "-5"], ["j", "", "b", "1000"],
            ["j", "1", "b", "99999999999999999"], ["nonsense", "9"],
            ["j", "1", "b", "1000", "t", "a b"], ["j", "1", "b", "1000", "t", "chat:1"],
            ["j", "1", "b", "1000", "t", "é"],
            ["j", "1", "b", "1000", "t", String(repeating: "t", count: 65)],
            ["j", String(repeating: "j", count: 129), "b", "1000"],
            ["j", "1", "b", "1000", "cb", "https://a.example/" + String(repeating: "c", count: 2048)],
        ]
    )
    func malformed(fields: [String]) async throws {
        let queue = try store.queue()
        #expect(try await queue.lease(1, waiting: .zero).isEmpty)
        let answers = ["p", "gateway"]
        let words = ["XADD", prefix + "jobs:hi", "*"] + fields + answers
        try server.command(words)
        #expect(try await queue.enqueue(Self.job("good")) == .accepted)
        #expect(try await queue.lease(9, waiting: .seconds(60)).map(\.job.id) == ["good"])
        #expect(try await queue.status().running == 1)
        #expect(try server.command("XRANGE", prefix + "reply:gateway", "-", "+").contains("failed"))
        try await store.close()
    }

    @Test(
        "a budget that is not a whole number of milliseconds is refused before anything is written",
        arguments: [
            "inf", "-inf", "nan", "1e3", "0x10", "1.5", "-5", "0", "", " 5", "5\n", "86400001", "99999999999999999999",
        ]
    )
    func senselessBudget(budget: String) async throws {
        let queue = try store.queue()
        #expect(try await queue.status().waiting == 0)
        let before = try server.command("KEYS", prefix + "*").split(separator: "\n").sorted()
        let words = ["EVAL", Script.enqueue.text, "1", prefix, "hi", "v", "1", "j", "1", "b", budget, "y", "x"]
        #expect(try server.command(words).contains("BADJOB"))
        #expect(try server.command("KEYS", prefix + "*").split(separator: "\n").sorted() == before)
        #expect(try await queue.status().waiting == 0)
        try await store.close()
    }

    @Test(
        "a limit that is not a whole number is refused before anything is written",
        arguments: ["backlog", "tenantBacklog", "answerBytes"],
        ["inf", "nan", "-1", "0", "1.5", "1e5", "many", ""]
    )
    func senselessLimit(field: String, value: String) async throws {
        let queue = try store.queue()
        #expect(try await queue.status().waiting == 0)
        try server.command("HSET", prefix + "meta", field, value)
        let error = await #expect(throws: JobQueueError.self) { try await queue.enqueue(Self.job("1")) }
        #expect(error?.reason == .misconfigured && error?.description.contains("BADLIMIT") == true)
        #expect(try await queue.status().waiting == 0)
        #expect(try await queue.state(of: JobName(id: "1"), waiting: .zero) == .unknown)
        try await store.close()
    }

    @Test("a queue whose workers are of an earlier version has no limit in bytes, and takes jobs")
    func earlierVersion() async throws {
        let queue = try store.queue()
        #expect(try await queue.status().waiting == 0)
        try server.command("HDEL", prefix + "meta", "answerBytes")
        #expect(try await queue.enqueue(Self.job("1")) == .accepted)
        try await store.close()
    }

    @Test("bytes that an earlier version didn't subtract are counted again before a job is refused for them")
    func staleBytes() async throws {
        let queue = try store.queue(QueueLimits(backlog: 100, answerBytes: 1000))
        #expect(try await queue.status().waiting == 0)
        try server.command("HSET", prefix + "meta", "owedBytes", "5000")
        #expect(try await queue.enqueue(Self.job("1")) == .accepted)
        #expect(try server.command("HGET", prefix + "meta", "owedBytes").contains("0"))
        try await store.close()
    }

    @Test(
        "the script refuses names that HTTP refuses",
        arguments: [
            ["t", "a b"], ["t", "../x"], ["t", String(repeating: "t", count: 65)], ["t", ""], ["t", "é"],
            ["p", String(repeating: "p", count: 129)],
            ["cb", "https://a.example/" + String(repeating: "c", count: 2048)],
        ]
    )
    func senselessNames(fields: [String]) async throws {
        let queue = try store.queue()
        #expect(try await queue.status().waiting == 0)
        let words = ["EVAL", Script.enqueue.text, "1", prefix, "hi", "j", "1", "b", "1000", "y", "x"] + fields
        #expect(try server.command(words).contains("BADJOB"))
        #expect(try await queue.status().waiting == 0)
        try await store.close()
    }

    @Test("a trace context that cannot be a header field is left out, and the job goes on")
    func senselessTrace() async throws {
        let queue = try store.queue()
        #expect(try await queue.lease(1, waiting: .zero).isEmpty)
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let contexts = [
            ("\(parent)\r\nHost: evil", "a=1"), (String(repeating: "0", count: 129), ""), (parent, "a=1\nb"),
        ]
        for (number, context) in contexts.enumerated() {
            let fields = ["j", "\(number)", "b", "60000", "y", "{}", "tp", context.0, "ts", context.1]
            try server.command(["XADD", prefix + "jobs:hi", "*"] + fields)
        }
        let jobs = try await queue.lease(9, waiting: .seconds(60)).map(\.job).sorted { $0.id < $1.id }
        #expect(jobs.map(\.trace) == [nil, nil, TraceContext(parent: parent)])
        try await store.close()
    }

    @Test("invalid numbers of other programs do no harm", arguments: ["inf", "nan", "99999999999999999999", "-1"])
    func senselessNumbers(number: String) async throws {
        let queue = try store.queue()
        #expect(try await queue.status().waiting == 0)
        try server.command("XADD", prefix + "jobs:hi", "*", "j", "1", "b", number, "y", "{}")
        #expect(try await queue.jobs(9).count == 1)
        let callback = prefix + "callback:hi/1-1"
        let fields = ["j", "1", "cb", "https://a/", "s", "ok", "y", "", "at", "1", "failures", number]
        try server.command(["HSET", callback] + fields)
        try server.command("ZADD", prefix + "callbacks", "1", "hi/1-1")
        #expect(try await queue.leaseCallbacks(1).isEmpty)
        #expect(try await queue.status().callbacks == 0)
        try await store.close()
    }

    @Test("a producer that reads nothing has no expired answers in its stream")
    func unreadAnswers() async throws {
        let queue = try store.queue(QueueLimits(replyTime: .milliseconds(1)))
        #expect(try await queue.status().waiting == 0)
        for number in 1...300 {
            try server.command("XADD", prefix + "reply:gateway", "\(number)-0", "j", "\(number)", "s", "ok", "y", "")
        }
        #expect(try await queue.enqueue(Self.job("1", producer: "gateway")) == .accepted)
        let leased = try #require(try await queue.lease(1, waiting: .seconds(60)).first)
        #expect(try await queue.finish(leased.lease, with: JobReply(.ok, body: [])))
        // Redis trims whole nodes of a hundred.
        #expect(try #require(Int(server.command("XLEN", prefix + "reply:gateway"))) <= 101)
        try await store.close()
    }

    @Test("jobs that were deleted by hand don't count against their tenant, and their names are free")
    func removedByHand() async throws {
        let queue = try store.queue(QueueLimits(backlog: 100, tenantBacklog: 2))
        for id in ["1", "2"] { #expect(try await queue.enqueue(Self.job(id)) == .accepted) }
        #expect(try await queue.enqueue(Self.job("3")) == .overShare)
        try server.command("XTRIM", prefix + "jobs:hi", "MAXLEN", "0")
        #expect(try await queue.state(of: JobName(id: "1"), waiting: .zero) == .unknown)
        #expect(try await queue.enqueue(Self.job("1")) == .accepted)
        #expect(try await queue.enqueue(Self.job("3")) == .accepted)
        #expect(try await queue.enqueue(Self.job("4")) == .overShare)
        try await store.close()
    }

    @Test("entries that workers of an earlier version answered leave the index, and hide no job", arguments: [0, 2500])
    func staleIndex(count: Int) async throws {
        // The lease outlasts the test on any machine.
        let queue = try store.queue(QueueLimits(leaseTime: .seconds(600)))
        let stale = (0..<count).flatMap { ["\($0)", "\($0)-0"] }
        if count > 0 {
            try server.command(["ZADD", prefix + "waiting:hi:default"] + stale)
            try server.command(["ZADD", prefix + "due"] + (0..<count).flatMap { ["\($0)", "hi/\($0)-0"] })
            try server.command("ZADD", prefix + "tenants:hi", "0", "default")
        }
        #expect(try await queue.enqueue(Self.job("1")) == .accepted)
        #expect(try await queue.lease(1, waiting: .seconds(60)).map(\.job.id) == ["1"])
        try await eventually {
            #expect(try await queue.reclaim(9).isEmpty)
            return try server.command("EXISTS", prefix + "due") == "0"
        }
        #expect(try await queue.lease(1, waiting: .zero).isEmpty)
        #expect(try server.command("EXISTS", prefix + "waiting:hi:default") == "0")
        try await store.close()
    }

    @Test("a leased job that was deleted by hand is neither reclaimed nor finished")
    func removedWhileLeased() async throws {
        let queue = try store.queue(QueueLimits(leaseTime: .milliseconds(1)))
        #expect(try await queue.enqueue(Self.job("1")) == .accepted)
        let lease = try #require(try await queue.lease(1, waiting: .seconds(60)).first).lease
        try server.command("XTRIM", prefix + "jobs:hi", "MAXLEN", "0")
        try await eventually {
            #expect(try await queue.reclaim(9).isEmpty)
            return try !server.command("XPENDING", prefix + "jobs:hi", "workers").hasPrefix("1")
        }
        #expect(try await !queue.finish(lease, with: JobReply(.ok, body: [])))
        try await store.close()
    }

    @Test("finished jobs leave only their answers for a while, and the queue's own state")
    func leavesNothing() async throws {
        let queue = try store.queue()
        for id in ["1", "2", "3"] { #expect(try await queue.enqueue(Self.job(id)) == .accepted) }
        for leased in try await queue.lease(3, waiting: .seconds(60)) {
            #expect(try await queue.start(leased.lease))
            #expect(try await queue.finish(leased.lease, with: JobReply(.ok, body: [])))
        }
        try await queue.leave()
        let keys = try server.command("KEYS", prefix + "*").split(separator: "\n").map { $0.dropFirst(prefix.count) }
        let answers = ["1", "2", "3"].map { "res:7:default:\($0)" }
        #expect(Set(keys.map(String.init)) == Set(["jobs:hi", "jobs:lo", "meta"] + answers))
        #expect(try server.command("XINFO", "CONSUMERS", prefix + "jobs:hi", "workers").isEmpty)
        for answer in answers { #expect(try Int(server.command("PTTL", prefix + answer)) ?? 0 > 0) }
    }

    @Test("a caller that waits for an answer when the queue is closed is told so")
    func waitingWhenLeft() async throws {
        let queue = try store.queue()
        #expect(try await queue.enqueue(Self.job("1")) == .accepted)
        let waiting = Task { try await queue.state(of: JobName(id: "1"), waiting: .seconds(600)) }
        try await queue.leave()
        let error = await #expect(throws: JobQueueError.self) { try await waiting.value }
        #expect(error?.reason == .unavailable)
    }

    @Test("a queue with another version of the protocol is left alone")
    func otherVersion() async throws {
        try server.command("HSET", prefix + "meta", "proto", "2")
        let queue = try store.queue()
        let error = await #expect(throws: JobQueueError.self) { try await queue.status() }
        #expect(error?.reason == .misconfigured)
        try await store.close()
    }

    @Test("a server whose memory is full refuses jobs, and all else goes on: the jobs that it has are answered")
    func outOfMemory() async throws {
        let server = try RedisServer()
        defer { server.kill() }
        let store = RedisStore(server)
        let queue = try store.queue()
        for number in 1...4 {
            var job = Self.job("\(number)")
            job.answer = .init(callback: "https://a/", producer: "p")
            #expect(try await queue.enqueue(job) == .accepted)
        }
        try server.command("CONFIG", "SET", "maxmemory", "1")
        #expect(try await queue.enqueue(Self.job("5")) == .outOfMemory)
        // Another worker starts.
        let other = try store.queue()
        try await other.report(WorkerReport(slots: 2, running: 0, jobsPerSecond: 1))
        #expect(try await other.load().load.workers.count == 1)
        #expect(try await other.storeScaling("text", replacing: nil))
        let leases = try await other.lease(4, waiting: .seconds(60)).map(\.lease)
        #expect(leases.count == 4)
        try await other.giveBack([leases[3]])
        for lease in leases[..<3] {
            #expect(try await other.start(lease))
            #expect(try await other.renew([lease]) == [])
        }
        #expect(try await other.finish(leases[0], with: JobReply(.ok, body: [1])))
        #expect(try await other.deadLetter(leases[1], with: JobReply(.poison, body: [])))
        #expect(try await queue.cancel(JobName(id: "4", tenant: "default")) == .cancelled)
        let callbacks = try await queue.leaseCallbacks(8)
        #expect(callbacks.count == 3)
        try await queue.postponeCallback(callbacks[0].lease, by: .zero, isFailure: true)
        for callback in callbacks[1...] { try await queue.finishCallback(callback.lease) }
        // Files are recorded, and taken back.
        try await queue.record("f.jpg", of: "s", for: .seconds(60))
        #expect(try await other.marks(after: .none, leaseTime: .seconds(2)).isEmpty)
        #expect(try await queue.takeBack([], source: "s", for: .seconds(60)).mark.files == ["f.jpg"])
        try await queue.keep([1], as: "formats", onlyIfMissing: false)
        #expect(try await queue.retryDeadLetter(JobName(id: "2", tenant: "default")) == .outOfMemory)
        #expect(try await queue.status().dead == 1 && queue.warnings == [.memoryFull])
        try server.command("CONFIG", "SET", "maxmemory", "0")
        #expect(try await queue.enqueue(Self.job("5")) == .accepted)
        #expect(try await queue.status().waiting == 1 && queue.warnings == [])
        try await store.close()
    }

    @Test("jobs are refused while a tenth of the server's memory is left, which is for answers")
    func memoryReserve() async throws {
        let server = try RedisServer()
        defer { server.kill() }
        let store = RedisStore(server)
        let queue = try store.queue()
        _ = try await queue.status()
        try server.command("SETRANGE", "other", "20000000", "x")
        let info = try server.command("INFO", "memory")
        let used = try #require(info.firstMatch(of: /used_memory:([0-9]+)/).flatMap { Int($0.1) })
        try server.command("CONFIG", "SET", "maxmemory", "\(used * 2)")
        #expect(try await queue.enqueue(Self.job("1")) == .accepted)
        try server.command("CONFIG", "SET", "maxmemory", "\(used * 100 / 95)")
        #expect(try await queue.enqueue(Self.job("2")) == .outOfMemory)
        // A server that evicts other entries makes room by itself.
        try server.command("CONFIG", "SET", "maxmemory-policy", "volatile-ttl")
        #expect(try await queue.enqueue(Self.job("2")) == .accepted)
        try await store.close()
    }
}
