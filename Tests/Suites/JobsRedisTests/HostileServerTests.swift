import Base
import Jobs
import JobsRedis
import Media
import Support
import Testing

@Suite("A server that is not a Redis, or a hostile one", .timeLimit(.minutes(10)))
struct HostileServerTests {
    private static func queue(port: Int) throws -> RedisJobQueue {
        let limits = RedisSettings(port: port, timeLimit: .seconds(20), connectLimit: .seconds(20))
        return try RedisJobQueue(limits)
    }

    /// Calls every method of a queue, and returns the errors that are not a `JobQueueError`.
    private static func foreignErrors(_ queue: RedisJobQueue) async -> [any Error] {
        let job = Job(id: "1", timeLimit: .seconds(1), content: [1])
        let lease = Lease(entry: "hi/1-1", fence: 1)
        let reply = JobReply(.ok, body: [])
        let calls: [() async throws -> Void] = [
            { _ = try await queue.enqueue(job) },
            { _ = try await queue.state(of: job.name, waiting: .milliseconds(1)) },
            { _ = try await queue.cancel(job.name) },
            { _ = try await queue.lease(3, waiting: .milliseconds(1)) },
            { _ = try await queue.reclaim(3) },
            { _ = try await queue.start(lease) },
            { _ = try await queue.renew([lease]) },
            { _ = try await queue.finish(lease, with: reply) },
            { _ = try await queue.deadLetter(lease, with: reply) },
            { try await queue.giveBack([lease]) },
            { _ = try await queue.leaseCallbacks(3) },
            { try await queue.finishCallback(lease) },
            { try await queue.postponeCallback(lease, by: .seconds(1), isFailure: true) },
            { _ = try await queue.status() },
            { _ = try await queue.jobs(3) },
            { _ = try await queue.deadLetters(3) },
            { _ = try await queue.purgeDeadLetters() },
            { _ = try await queue.forget(.all(tenant: "a")) },
            { _ = try await queue.forget(.one(JobName(id: "a"))) },
            { _ = try await queue.takeBack(["a"], source: "b", for: .seconds(1)) },
            { _ = try await queue.marks(after: .none, leaseTime: .seconds(1)) },
            { _ = try await queue.workers(knowing: .none) },
            { try await queue.record("a", of: "b", for: .seconds(1)) },
            { _ = try await queue.serverWarnings() },
        ]
        var foreign: [any Error] = []
        for call in calls {
            do {
                try await call()
            } catch is JobQueueError {
            } catch {
                foreign.append(error)
            }
        }
        return foreign
    }

    @Test(
        "an invalid reply is reported as invalid",
        arguments: [
            "HTTP/1.1 400 Bad Request\r\n\r\n", "*99999999999\r\n", "$-5\r\n", "\0\0\0\0", "$99999999999\r\n",
        ]
    )
    func invalidReply(answer: String) async throws {
        let server = try await ScriptedServer { _ in Array(answer.utf8) }
        let queue = try Self.queue(port: server.port)
        let error = await #expect(throws: JobQueueError.self) { try await queue.status() }
        #expect(error?.reason == .broken)
        await server.stop()
    }

    @Test(
        "a reply of the wrong kind is an error for every method, and never a crash",
        arguments: ["+OK\r\n", ":1\r\n", "$1\r\n1\r\n", "*0\r\n", "$-1\r\n", "*1\r\n*1\r\n:9223372036854775807\r\n"]
    )
    func wrongKind(answer: String) async throws {
        let server = try await ScriptedServer { _ in Array(answer.utf8) }
        #expect(try await Self.foreignErrors(Self.queue(port: server.port)).isEmpty)
        await server.stop()
    }

    @Test("a queue survives any well-formed reply", arguments: 0..<UInt64(100))
    func randomReplies(seed: UInt64) async throws {
        let server = try await ScriptedServer { words in
            if ["CLIENT", "SCRIPT"].contains(words.first) { return Array("+OK\r\n".utf8) }
            var random = SplitMix(seed: words.reduce(seed) { $0 &* 31 &+ UInt64($1.utf8.count) })
            return Self.reply(depth: 0, &random)
        }
        #expect(try await Self.foreignErrors(Self.queue(port: server.port)).isEmpty)
        await server.stop()
    }

    /// Returns a random reply of a form that the queue reads, with valid or invalid words and numbers.
    private static func reply(depth: Int, _ random: inout SplitMix) -> [UInt8] {
        let words = ["hi/1-1", "lo/9223372036854775807-0", "hi/", "j", "b", "y", "OK", "DONE", "ok\nx", "-hi/1-1", ""]
        switch random.next() % (depth < 4 ? 8 : 4) {
        case 0: return Array(":\(Int64(bitPattern: random.next()) >> Int64(random.next() % 64))\r\n".utf8)
        case 1: return Array("$-1\r\n".utf8)
        case 2, 3:
            let word = words[Int(random.next() % UInt64(words.count))]
            return Array("$\(word.utf8.count)\r\n\(word)\r\n".utf8)
        default:
            let count = Int(random.next() % 6)
            return Array("*\(count)\r\n".utf8) + (0..<count).flatMap { _ in reply(depth: depth + 1, &random) }
        }
    }
}
