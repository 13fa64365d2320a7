import Foundation
import Jobs
import JobsContract
import Support
import Testing

@testable import JobsRedis

@Suite("A producer in Python that uses only the documented protocol", .timeLimit(.minutes(10)))
struct PythonProducerTests {
    private static let samples = SharedMedia.packageRoot.appending(path: "Samples")
    private static let python = "/usr/bin/python3"

    private static var hasRedisPackage: Bool {
        guard RedisServer.isInstalled, FileManager.default.isExecutableFile(atPath: python) else { return false }
        return (try? ChildProgram([python, "-c", "import redis"], in: samples).wait()) == 0
    }

    private struct Line: Decodable, Equatable {
        var id: String
        var status: String
        var result: [String: String]?
    }

    @Test("the script for producers is the one that attachd runs")
    func script() throws {
        let file = Self.samples.appending(path: "redis/enqueue.lua")
        #expect(try String(contentsOf: file, encoding: .utf8) == Script.enqueue.text)
    }

    @Test(
        "the producer enqueues, is refused when the queue is full, and reads its answers",
        .enabled(if: hasRedisPackage, "redis-server or Python's package redis is not installed")
    )
    func producer() async throws {
        let server = try RedisServer()
        defer { server.kill() }
        let store = RedisStore(server)
        let queue = try store.queue(QueueLimits(backlog: 2))
        #expect(try await queue.lease(1, waiting: .zero).isEmpty)
        func produce() throws -> ChildProgram {
            let options = ["--url", "redis://127.0.0.1:\(server.port)", "--prefix", store.settings.prefix]
            let payloads = ["photo", "airship", "braze"].map { "payloads/\($0).json" }
            let program = [Self.python, "redis/producer.py", "--budget", "60000"]
            return try ChildProgram(program + options + payloads, in: Self.samples)
        }

        let first = try produce()
        let refused = try Self.line(first)
        #expect(refused.status == "busy")

        let second = try produce()
        let known = try [Self.line(second), Self.line(second)]
        #expect(known.map(\.status) == ["known", "known"])
        #expect(try Self.line(second) == refused)
        #expect(second.wait() == 0)

        let photo = try Data(contentsOf: Self.samples.appending(path: "payloads/photo.json"))
        for (status, outcome) in [(JobReply.Status.ok, "complete"), (.original, "original")] {
            let leased = try #require(try await queue.lease(1, waiting: .seconds(60)).first)
            let envelope = try JSONSerialization.jsonObject(with: Data(leased.job.content)) as? [String: NSDictionary]
            if status == .ok {
                #expect(try envelope?["payload"] == JSONSerialization.jsonObject(with: photo) as? NSDictionary)
            }
            #expect(leased.job.timeLimit == .seconds(60))
            let body = Array(#"{"outcome":"\#(outcome)"}"#.utf8)
            #expect(try await queue.finish(leased.lease, with: JobReply(status, body: body)))
            let told = try Self.line(first)
            #expect(told == Line(id: leased.job.id, status: status.rawValue, result: ["outcome": outcome]))
        }
        #expect(first.wait() == 0)

        let third = try produce()
        #expect(try [Self.line(third), Self.line(third)].map(\.status) == ["ok", "original"])
        third.kill()
        try await store.close()
    }

    @Test(
        "without a Redis that takes jobs, the producer says why in one line, with a status",
        .enabled(if: hasRedisPackage, "redis-server or Python's package redis is not installed"),
        arguments: [
            ("away", 75, "Redis does not answer"), ("-BUSY Redis is busy running a script.", 75, "Redis refuses: "),
            ("-LOADING Redis is loading the dataset in memory", 75, "Redis "),
            ("-NOAUTH Authentication required.", 75, "Redis "), ("-BADLIMIT backlog", 78, "Redis refuses: BADLIMIT"),
            ("no file", 66, "cannot be read"), ("no JSON", 65, "is not JSON"),
        ]
    )
    func failures(what: String, status: Int32, words: String) async throws {
        let server = try await ScriptedServer { _ in Array("\(what)\r\n".utf8) }
        let port = server.port
        if what == "away" { await server.stop() }
        let payload = ["no file": "none.json", "no JSON": "redis/README.md"][what] ?? "payloads/photo.json"
        let folder = try TemporaryFolder()
        let errors = "\(folder.path)/errors"
        let command = "\(Self.python) redis/producer.py --url redis://127.0.0.1:\(port) \(payload) 2>\(errors)"
        let program = try ChildProgram(["/bin/sh", "-c", command], in: Self.samples)
        #expect(program.wait() == status)
        let text = try String(contentsOfFile: errors, encoding: .utf8)
        #expect(text.hasPrefix("producer.py: ") && text.contains(words) && text.count { $0 == "\n" } == 1, "\(text)")
        await server.stop()
    }

    private static func line(_ program: ChildProgram) throws -> Line {
        let text = try #require(try program.readLine(beginning: "{"))
        return try JSONDecoder().decode(Line.self, from: Data(text.utf8))
    }
}
