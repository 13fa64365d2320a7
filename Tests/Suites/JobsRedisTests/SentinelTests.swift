import Base
import Jobs
import JobsRedis
import Media
import Support
import Testing

@Suite("Jobs on a Redis with replicas and sentinels", .needsRedis, .serialized, .timeLimit(.minutes(10)))
struct SentinelTests {
    private static func settings(_ group: RedisGroup) -> RedisSettings {
        let sentinels = group.sentinelPorts.map { HostAndPort(host: "127.0.0.1", port: $0) }
        return RedisSettings(
            sentinels: SentinelGroup(sentinels, name: RedisGroup.name, timeLimit: .seconds(10)),
            connectLimit: .seconds(10),
        )
    }

    /// Retries until a primary with a replica is there.
    @discardableResult
    private static func insist<Value>(_ call: () async throws -> Value) async throws -> Value {
        while true {
            do {
                return try await call()
            } catch let error as JobQueueError where error.reason == .unavailable {
                try Task.checkCancellation()
            }
        }
    }

    @Test("jobs that were acknowledged outlast their primary, and each of them has one answer")
    func failOver() async throws {
        let group = try await RedisGroup(arguments: ["--min-replicas-to-write", "1"])
        defer { group.kill() }
        let settings = Self.settings(group)
        let limits = QueueLimits(leaseTime: .milliseconds(500), replyTime: .seconds(600))
        let jobs = (0..<300).map { Job(id: "\($0)", timeLimit: .seconds(600), content: Array("\($0)".utf8)) }
        let record = JobRecord()
        let producer = try RedisJobQueue(settings, limits: limits, isStrict: true)
        let workers = try (0..<2).map { _ in try RedisJobQueue(settings, limits: limits, isStrict: true) }

        try await withThrowingDiscardingTaskGroup { tasks in
            tasks.addTask {
                for job in jobs {
                    // Without a reply, the job may be in the queue already.
                    try await Self.insist { try await producer.enqueue(job) }
                    record.note(job.id, as: .accepted)
                }
            }
            for queue in workers {
                tasks.addTask {
                    while record.answers.count < jobs.count {
                        let new = try await Self.insist { try await queue.lease(8, waiting: .milliseconds(50)) }
                        let lost = try await Self.insist { try await queue.reclaim(8) }
                        for leased in new + lost {
                            guard try await Self.insist({ try await queue.start(leased.lease) }) else { continue }
                            let reply = JobReply(.ok, body: leased.job.content)
                            let isOnly = try await Self.insist { try await queue.finish(leased.lease, with: reply) }
                            // If the reply was lost, this worker or another one may have finished the job.
                            record.note(leased.job.id, as: isOnly ? .answered : .found)
                        }
                    }
                }
            }
            tasks.addTask {
                await record.wait { $0.answers.count >= jobs.count / 3 }
                group.servers[0].kill()
            }
        }

        for job in jobs {
            let state = try await Self.insist { try await producer.state(of: job.name, waiting: .zero) }
            #expect(state == .finished(JobReply(.ok, body: job.content)))
        }
        #expect(record.answers.values.allSatisfy { $0.count <= 1 })
        #expect(try await Self.insist { try await producer.status() } == QueueStatus())
        for queue in workers + [producer] { try? await queue.leave() }
    }

    @Test("a primary that the sentinels replace while it lives is left, and its jobs go on")
    func replaced() async throws {
        let group = try await RedisGroup(arguments: ["--min-replicas-to-write", "1"])
        defer { group.kill() }
        // Strict, because on a busy machine the sentinels may replace the primary at this moment, too: what is acknowledged
        // then is with the replicas.
        let limits = QueueLimits(leaseTime: .milliseconds(500))
        let queue = try RedisJobQueue(Self.settings(group), limits: limits, isStrict: true)
        let job = Job(id: "1", timeLimit: .seconds(600), content: [1])
        _ = try await Self.insist { try await queue.enqueue(job) }
        // On a busy machine the sentinels may have replaced it by themselves before, and this puts it back.
        try await eventually {
            try group.tell(group.sentinelPorts[0], ["SENTINEL", "FAILOVER", RedisGroup.name])
            return try !group.servers[0].command("ROLE").hasPrefix("master")
        }
        var jobs: [LeasedJob] = []
        try await eventually {
            // The reply to a lease may have been lost with the connection.
            jobs = try await Self.insist { try await queue.lease(1, waiting: .milliseconds(50)) }
            if jobs.isEmpty { jobs = try await Self.insist { try await queue.reclaim(1) } }
            return !jobs.isEmpty
        }
        let leased = jobs[0]
        #expect(leased.job.content == job.content)
        // Repeated, it says that the job is finished already.
        _ = try await Self.insist { try await queue.finish(leased.lease, with: JobReply(.ok, body: [2])) }
        let kept = try await Self.insist { try await queue.state(of: job.name, waiting: .zero) }
        #expect(kept == .finished(JobReply(.ok, body: [2])))
        try await queue.leave()
    }

    @Test("at the sentinels, a user with only the documented rights is enough")
    func rights() async throws {
        let group = try await RedisGroup(arguments: ["--min-replicas-to-write", "1"])
        defer { group.kill() }
        let rights = "+sentinel|get-master-addr-by-name +sentinel|replicas +subscribe +ping &+switch-master"
        for port in group.sentinelPorts {
            let words = ["ACL", "SETUSER", "watcher", "on", ">secret"] + rights.split(separator: " ").map(String.init)
            #expect(try group.tell(port, words) == "OK")
            for command in [["PING"], ["SUBSCRIBE", "+switch-master"]] {
                #expect(try group.tell(port, ["ACL", "DRYRUN", "watcher"] + command) == "OK")
            }
        }
        var settings = Self.settings(group)
        settings.sentinels?.user = "watcher"
        settings.sentinels?.password = Secret("secret")
        let queue = try RedisJobQueue(settings, isStrict: true)
        let enqueued = try await Self.insist {
            try await queue.enqueue(Job(id: "1", timeLimit: .seconds(600), content: [1]))
        }
        #expect([.accepted, .known].contains(enqueued))
        try await queue.leave()
    }
}
