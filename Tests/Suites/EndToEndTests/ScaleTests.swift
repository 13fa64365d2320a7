import Foundation
import Payloads
import Support
import Testing

@Suite("The number of workers", .needsRedis, .timeLimit(.minutes(10)))
struct ScaleTests {
    /// Waits until the answer of `/v1/scale` is as `look` wants it.
    private func scale(
        _ sidecar: RunningSidecar,
        until look: (JSONValue) -> Bool,
    ) async throws -> JSONValue {
        var load = JSONValue.null
        try await eventually {
            let answer = try await sidecar.get("/v1/scale")
            load = try JSONValue(parsing: answer.body)
            return answer.status == 200 && look(load)
        }
        return load
    }

    @Test("a gateway without a worker takes jobs and asks for one, which does them and is counted")
    func zeroToOne() async throws {
        let redis = try RedisServer()
        defer { redis.kill() }
        let photo = SampleMedia.photo
        let origin = try OriginServer { _ in .body(photo) }
        defer { origin.stop() }
        let options = ["--queue", "redis://127.0.0.1:\(redis.port)", "--public-url", "https://push.example"]
        let gateway = try RunningSidecar(try AttachdProgram(), options + ["--no-worker"])
        defer {
            gateway.terminate()
            _ = gateway.wait()
        }
        let idle = try await scale(gateway) { _ in true }
        #expect(idle["workers"] == 0 && idle["running"] == 0, "\(idle.compactText)")
        let payload = #"{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"\#(origin.url("/a.jpg"))"}"#
        for id in ["1", "2"] {
            let job = #"{"id":"\#(id)","deadline":"200s","payload":\#(payload)}"#
            let answer = try await gateway.send("POST", "/v1/jobs", job)
            #expect(answer.status == 202)
        }
        let waiting = try await scale(gateway) { $0["backlog"] == 2 }
        #expect(waiting["workers"] == 1 && waiting["running"] == 0, "\(waiting.compactText)")
        #expect(origin.requests.isEmpty)
        try await RunningSidecar.run(try AttachdProgram(), command: "work", options) { worker in
            for id in ["1", "2"] {
                #expect(try await gateway.get("/v1/jobs/\(id)?wait=60s").text.contains(#""outcome":"complete""#))
            }
            let busy = try await scale(gateway) { $0["running"] == 1 }
            #expect(busy["backlog"] == 0 && busy["workers"] == 1, "\(busy.compactText)")
            try await eventually { try await worker.get("/metrics").text.contains("attachd_workers_running 1") }
        }
        // It left, and its last job is not long ago.
        let after = try await scale(gateway) { $0["running"] == 0 }
        #expect(after["workers"] == 1, "\(after.compactText)")
    }
}
