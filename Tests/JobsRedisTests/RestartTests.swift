import Jobs
import JobsRedis
import Media
import Support
import Synchronization
import Testing

@Suite("Jobs on a Redis that dies", .needsRedis, .timeLimit(.minutes(3)))
struct RestartTests {
    @Test("five kills and restarts under load lose nothing that was acknowledged, and answer nothing twice")
    func fiveKills() async throws {
        // Redis writes its log before it answers, and syncs it to the disk each second. That survives the death of the
        // process; what a loss of power takes with it is up to the disk.
        let server = try RedisServer()
        defer { server.kill() }
        let store = RedisStore(server)
        let limits = QueueLimits(leaseTime: .milliseconds(500), replyTime: .seconds(600))
        let jobs = (0..<1200).map { Job(id: "\($0)", timeLimit: .seconds(600), content: Array("\($0)".utf8)) }
        let ledger = Ledger()

        try await withThrowingDiscardingTaskGroup { group in
            for producer in 0..<3 {
                let queue = try store.queue(limits)
                group.addTask {
                    for job in jobs where (Int(job.id) ?? 0) % 3 == producer {
                        try await Self.insist { try await queue.enqueue(job) }
                        ledger.accepted(job.id)
                    }
                }
            }
            for _ in 0..<3 {
                let queue = try store.queue(limits)
                group.addTask {
                    while ledger.answers.count < jobs.count {
                        let new = try await Self.insist { try await queue.lease(8, waiting: .milliseconds(50)) }
                        let lost = try await Self.insist { try await queue.rescue(8) }
                        for leased in new + lost {
                            let id = leased.job.id
                            let isMine = try await Self.insist { try await queue.start(leased.lease) }
                            guard isMine else { continue }
                            let reply = JobReply(.ok, body: leased.job.content)
                            let isOnly = try await Self.insist { try await queue.finish(leased.lease, with: reply) }
                            if isOnly {
                                ledger.answered(id)
                            } else if try await Self.insist({ try await queue.isFinished(leased.job.name) }) {
                                // Where the connection broke, it was perhaps this worker who finished it.
                                ledger.found(id)
                            }
                        }
                    }
                }
            }
            group.addTask {
                let time = SystemTime()
                for round in 1...5 {
                    while ledger.answers.count < round * jobs.count / 6 {
                        try await time.sleep(until: time.now + .milliseconds(5))
                    }
                    server.kill()
                    try server.restart()
                }
            }
        }

        #expect(ledger.acceptedCount == jobs.count)
        #expect(ledger.answers.filter { $0.value > 1 }.isEmpty)
        let queue = try store.queue(limits)
        for job in jobs {
            #expect(try await queue.state(of: job.name, waiting: .zero) == .finished(JobReply(.ok, body: job.content)))
        }
        #expect(try await queue.status() == QueueStatus())
        try await store.close()
    }

    /// Tries until the server is there.
    @discardableResult
    private static func insist<Value>(_ call: () async throws -> Value) async throws -> Value {
        while true {
            do {
                return try await call()
            } catch let error as JobQueueError where error.reason == .unavailable {}
        }
    }

    @Test("a server that is gone makes calls fail as unavailable, until it is back")
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

    @Test("a server that was emptied is told again what it has to know", arguments: [false, true])
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

/// Who was told what, over all of the server's lives.
private final class Ledger: Sendable {
    private struct Entries {
        var accepted: Set<String> = []
        var answers: [String: Int] = [:]
    }

    private let entries = Mutex(Entries())

    var acceptedCount: Int { entries.withLock(\.accepted.count) }

    /// How often workers were told that their answer is the job's.
    var answers: [String: Int] { entries.withLock(\.answers) }

    func accepted(_ id: String) { entries.withLock { _ = $0.accepted.insert(id) } }

    func answered(_ id: String) { entries.withLock { $0.answers[id, default: 0] += 1 } }

    func found(_ id: String) { entries.withLock { $0.answers[id, default: 0] += 0 } }
}
