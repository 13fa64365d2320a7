import Base
import Foundation
import Support
import Testing

@Suite("A queue whose Redis is away", .timeLimit(.minutes(10)))
struct QueueAwayTests {
    /// Starts a worker while its Redis is down.
    private func withoutRedis(
        _ command: String,
        _ body: (RunningSidecar, RedisServer, OriginServer) async throws -> Void,
    ) async throws {
        let redis = try RedisServer()
        redis.kill()
        let photo = SampleMedia.photo
        let origin = try OriginServer { _ in .body(photo) }
        defer { origin.stop() }
        let attachd = try AttachdProgram()
        let arguments = ["--queue", "redis://127.0.0.1:\(redis.port)"]
        try await RunningSidecar.run(attachd, command: command, arguments) { sidecar in
            try await body(sidecar, redis, origin)
        }
    }

    private func postJob(_ sidecar: RunningSidecar, _ origin: OriginServer) async throws -> HTTPClient.Answer {
        let payload = #"{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"\#(origin.url("/photo.jpg"))"}"#
        return try await sidecar.send("POST", "/v1/jobs", #"{"payload":\#(payload)}"#)
    }

    @Test("serve starts, answers requests, refuses jobs with 503, and takes them once Redis is there")
    func serve() async throws {
        try await withoutRedis("serve") { sidecar, redis, origin in
            // Until the queue's server was asked, no work begins.
            try await eventually {
                let ready = try await sidecar.get("/readyz")
                if ready.status == 503, ready.text.contains("has switched off") { return false }
                #expect(ready.status == 200 && ready.text.lowercased().contains("queue"))
                return true
            }
            let answer = try await sidecar.post(origin.url("/photo.jpg"))
            #expect(answer.status == 200 && answer.text.contains(#""outcome":"complete""#))
            let refused = try await postJob(sidecar, origin)
            #expect(refused.status == 503)
            try redis.restart()
            // The worker dials again after a while, at most every few seconds.
            try await eventually { try await postJob(sidecar, origin).status == 202 }
        }
    }

    @Test("the server listens before it has asked the queue, and says so in one line", arguments: ["serve", "work"])
    func listens(command: String) async throws {
        try await withoutRedis(command) { sidecar, _, _ in
            #expect(try await sidecar.get("/livez").status == 200)
            try await sidecar.waitForLog("The queue cannot be reached")
            let lines = sidecar.logged.split(separator: "\n")
                .filter { $0.contains("isten") || $0.contains("queue cannot") }
            #expect(lines.count == 2 && lines.first?.contains("attachd listens.") == true, "\(lines)")
        }
    }

    @Test("work is not ready until Redis is there, and says why")
    func work() async throws {
        try await withoutRedis("work") { sidecar, redis, _ in
            let away = try await sidecar.get("/readyz")
            #expect(away.status == 503 && away.text.contains("127.0.0.1:\(redis.port)"), "\(away.text)")
            #expect(away.text.contains("Connection refused"), "\(away.text)")
            #expect(try await sidecar.get("/livez").status == 200)
            try redis.restart()
            try await eventually { try await sidecar.get("/readyz").status == 200 }
        }
    }

    @Test("doctor names the primary that the sentinels know, and fails if there is none")
    func doctor() async throws {
        let group = try await RedisGroup()
        defer { group.kill() }
        var attachd = try AttachdProgram()
        let sentinels = group.sentinelPorts.map { "127.0.0.1:\($0)" }.joined(separator: ",")
        attachd.environment["ATTACHD_QUEUE"] = "redis-sentinel://\(sentinels)/\(RedisGroup.name)"
        let found = try await attachd.run(["doctor", "--store", attachd.store])
        #expect(found.output.contains("at 127.0.0.1:\(group.servers[0].port), followed by 2 replicas."))
        #expect(found.output.contains("min-replicas-to-write 1"))
        attachd.environment["ATTACHD_QUEUE"] = "redis-sentinel://\(sentinels)/other"
        let missing = try await attachd.run(["doctor", "--store", attachd.store])
        #expect(missing.status == 1 && missing.output.contains("does not know 'other'"))
        attachd.environment["ATTACHD_QUEUE"] = "redis-sentinel://\(sentinels)/\(RedisGroup.name)"
        let risky = try await attachd.run(["work", "--strict", "--listen", "127.0.0.1:0", "--store", attachd.store])
        #expect(risky.status == 78 && risky.errors.contains("min-replicas-to-write 1"))
    }
}
