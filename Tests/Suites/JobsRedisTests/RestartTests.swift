import Base
import Jobs
import Media
import Support
import Testing

@testable import JobsRedis

@Suite("Jobs on a Redis that dies", .needsRedis, .timeLimit(.minutes(10)))
struct RestartTests {
    /// The policies for writing Redis's log to disk, and the time whose writes may be lost: with `everysec` a write
    /// waits for up to two seconds while the disk is busy, even though its reply was sent.
    private static let policies: [(fsync: String, forgetful: Duration)] = [
        ("always", .zero), ("everysec", .milliseconds(2100)),
    ]

    @Test(
        "five kills and restarts under load lose nothing that Redis promised to keep, and answer no job twice",
        arguments: policies
    )
    func fiveKills(fsync: String, forgetful: Duration) async throws {
        let server = try RedisServer(arguments: ["--appendfsync", fsync])
        defer { server.kill() }
        let store = RedisStore(server)
        let limits = QueueLimits(leaseTime: .milliseconds(500), replyTime: .seconds(600))
        let jobs = (0..<1200).map { Job(id: "\($0)", timeLimit: .seconds(600), content: Array("\($0)".utf8)) }
        let record = JobRecord()

        try await withThrowingDiscardingTaskGroup { group in
            for producer in 0..<3 {
                let queue = try store.queue(limits)
                let own = jobs.filter { (Int($0.id) ?? 0) % 3 == producer }
                group.addTask {
                    for job in own {
                        try await Self.insist { try await queue.enqueue(job) }
                        record.note(job.id, as: .accepted)
                    }
                    await record.wait { $0.kills.count == 5 }
                    for job in own where try await Self.insist({ try await queue.enqueue(job) }) == .accepted {
                        record.note(job.id, as: .lost)
                    }
                }
            }
            for _ in 0..<3 {
                let queue = try store.queue(limits)
                group.addTask {
                    while record.answers.count < jobs.count {
                        let new = try await Self.insist { try await queue.lease(8, waiting: .milliseconds(50)) }
                        let lost = try await Self.insist { try await queue.reclaim(8) }
                        for leased in new + lost {
                            let isMine = try await Self.insist { try await queue.start(leased.lease) }
                            guard isMine else { continue }
                            let reply = JobReply(.ok, body: leased.job.content)
                            let isOnly = try await Self.insist { try await queue.finish(leased.lease, with: reply) }
                            if isOnly {
                                record.note(leased.job.id, as: .answered)
                            } else if try await Self.insist({ try await queue.isFinished(leased.job.name) }) {
                                // If the connection broke, this worker may have finished the job.
                                record.note(leased.job.id, as: .found)
                            }
                        }
                    }
                }
            }
            group.addTask {
                for round in 1...5 {
                    await record.wait { $0.answers.count >= round * jobs.count / 6 }
                    server.kill()
                    record.noteKill()
                    try server.restart()
                }
            }
        }

        #expect(record.forgotten(within: forgetful).isEmpty)
        #expect(record.answeredTwice(within: forgetful).isEmpty)
        let queue = try store.queue(limits)
        for job in jobs {
            #expect(try await queue.state(of: job.name, waiting: .zero) == .finished(JobReply(.ok, body: job.content)))
        }
        #expect(try await queue.status() == QueueStatus())
        try await store.close()
    }

    /// Retries until the server is there.
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

    @Test("calls to a lost server fail as unavailable until it is back")
    func unavailable() async throws {
        let server = try RedisServer()
        defer { server.kill() }
        let settings = RedisSettings(port: server.port, timeLimit: .milliseconds(100))
        let hasty = try RedisJobQueue(settings)
        server.kill()
        let error = await #expect(throws: JobQueueError.self) { try await hasty.status() }
        #expect(error?.reason == .unavailable)
        #expect(error?.description.contains("127.0.0.1:\(server.port)") == true)
        let reading = await #expect(throws: JobQueueError.self) { try await hasty.lease(1, waiting: .seconds(600)) }
        #expect(reading?.reason == .unavailable)
        try server.restart()
        try await Self.insist { try await hasty.status() }
    }

    @Test("a wait for an answer outlasts a restart")
    func waiting() async throws {
        let server = try RedisServer()
        defer { server.kill() }
        let store = RedisStore(server)
        let queue = try store.queue()
        let job = Job(id: "1", timeLimit: .seconds(60), content: [])
        #expect(try await queue.enqueue(job) == .accepted)
        async let state = queue.state(of: job.name, waiting: .seconds(60))
        server.kill()
        try server.restart()
        let leased = try await Self.insist { try await queue.lease(1, waiting: .seconds(20)) }
        #expect(try await queue.finish(#require(leased.first).lease, with: JobReply(.ok, body: [7])))
        #expect(try await state == .finished(JobReply(.ok, body: [7])))
        try await store.close()
    }

    @Test("after a restart, workers have the time of a lease to renew before others take their jobs")
    func renewsAfterRestart() async throws {
        let server = try RedisServer()
        defer { server.kill() }
        let store = RedisStore(server)
        let limits = QueueLimits(leaseTime: .seconds(3600))
        let (holder, other) = (try store.queue(limits), try store.queue(limits))
        #expect(try await holder.enqueue(Job(id: "1", timeLimit: .seconds(600), content: [])) == .accepted)
        let lease = try #require(try await holder.lease(1, waiting: .seconds(20)).first).lease
        #expect(try await other.reclaim(1).isEmpty)
        server.kill()
        try server.restart()
        let (key, entry) = (store.settings.prefix + "jobs:hi", String(lease.entry.dropFirst(3)))
        /// As if the lease had not been renewed for two hours.
        func age() throws {
            try server.command("XCLAIM", key, "workers", holder.worker, "0", entry, "IDLE", "7200000", "JUSTID")
        }
        try age()
        #expect(try await Self.insist { try await other.reclaim(1) }.isEmpty)
        #expect(try await Self.insist { try await holder.renew([lease]) }.isEmpty)
        try age()
        try server.command("HINCRBY", store.settings.prefix + "meta", "since", "-7200000")
        #expect(try await other.reclaim(1).map(\.job.id) == ["1"])
        try await store.close()
    }

    @Test("a server that was emptied gets its scripts and streams again", arguments: [false, true])
    func emptied(losesData: Bool) async throws {
        let server = try RedisServer()
        defer { server.kill() }
        let store = RedisStore(server)
        let queue = try store.queue(QueueLimits(backlog: 2))
        #expect(try await queue.lease(1, waiting: .zero).isEmpty)
        _ = try losesData ? server.command("FLUSHALL") : server.command("SCRIPT", "FLUSH")
        #expect(try await queue.status() == QueueStatus())
        for id in ["1", "2"] {
            #expect(try await queue.enqueue(Job(id: id, timeLimit: .seconds(60), content: [])) == .accepted)
        }
        #expect(try await queue.enqueue(Job(id: "3", timeLimit: .seconds(60), content: [])) == .busy)
        if losesData { try server.command("XGROUP", "DESTROY", store.settings.prefix + "jobs:hi", "workers") }
        #expect(try await queue.lease(9, waiting: .seconds(60)).map(\.job.id) == ["1", "2"])
        try await store.close()
    }
}

extension RedisJobQueue {
    fileprivate func isFinished(_ name: JobName) async throws -> Bool {
        if case .finished = try await state(of: name, waiting: .zero) { true } else { false }
    }
}
