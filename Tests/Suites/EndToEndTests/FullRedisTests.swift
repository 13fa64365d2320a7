import Foundation
import Payloads
import Support
import Testing

@Suite("A Redis whose memory is full", .needsRedis, .timeLimit(.minutes(10)))
struct FullRedisTests {
    @Test("answers the jobs that it has, with workers that start meanwhile, and says that it takes no more")
    func full() async throws {
        let redis = try RedisServer()
        defer { redis.kill() }
        let origin = try OriginServer { [photo = SampleMedia.photo] _ in .body(photo) }
        defer { origin.stop() }
        let (producer, first, second) = (try AttachdProgram(), try AttachdProgram(), try AttachdProgram())
        let queue = ["--queue", "redis://127.0.0.1:\(redis.port)"]
        let payload = #"{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"\#(origin.url("/a.jpg"))"}"#
        let file = try producer.folder.write(payload, to: "payload.json")
        let files = [String](repeating: file, count: 700)
        let errors = WatchedFile(producer.folder.url.appending(path: "waiting"))
        let waiting = try producer.start(
            ["enqueue", "--wait", "--deadline", "200s"] + queue + files,
            errors: errors.url.path
        )
        try await errors.wait(for: "No worker has taken")
        #expect(try redis.command("XLEN", "attachd:{default}:jobs:hi") == "700")
        try redis.command("CONFIG", "SET", "maxmemory", "1000000")
        try await RunningSidecar.run(first, command: "work", queue) { one in
            try await RunningSidecar.run(second, queue) { two in
                let output = String(decoding: try waiting.readToEnd(), as: UTF8.self)
                #expect(waiting.wait() == 0)
                let results = try output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
                #expect(results.count == 700 && results.allSatisfy { $0["outcome"]?.text == "complete" })
                let refused = try await producer.run(["enqueue", file] + queue)
                #expect(refused.status == 75 && refused.errors.contains("too little memory"), "\(refused.errors)")
                let envelope = #"{"payload":\#(payload)}"#
                let answer = try await two.send("POST", "/v1/jobs", envelope)
                #expect(answer.status == 429 && answer.text.contains("too little memory"))
                for worker in [one, two] {
                    let ready = try await worker.get("/readyz")
                    #expect(ready.status == 200 && ready.text.contains("nine tenths"))
                    let metrics = try await worker.get("/metrics").text
                    #expect(metrics.contains(#"attachd_queue_problem{kind="memoryFull"} 1"#))
                    #expect(metrics.contains("attachd_workers_running 2\n"))
                }
                #expect(one.logged.contains("nine tenths"))
                let listed = try await producer.run(["jobs"] + queue)
                #expect(listed.status == 0 && listed.output.contains("waiting 0"))
            }
        }
    }
}
