import Payloads
import Support
import Testing

/// Tests that every interface returns a payload with half a surrogate pair unchanged: no Unicode text can hold one.
@Suite("Half a surrogate pair", .timeLimit(.minutes(10)))
struct SurrogateTests {
    private static let payload =
        #"{"aps":{"alert":"\ud83d","mutable-content":1},"my-attachment":"http://127.0.0.1:1/a.jpg","\udfff":["é"]}"#

    private let attachd: AttachdProgram

    init() throws { attachd = try AttachdProgram() }

    @Test("on the command line")
    func process() async throws {
        let outcome = try await attachd.process(payload: Self.payload, ["--explain"])
        #expect(outcome.status == 0 && outcome.outcome == "original", "\(outcome.errors)")
        #expect(outcome.output == Self.payload + "\n" && outcome.errors.contains("surrogate"))
    }

    @Test("over HTTP, and as a job of a queue in a file")
    func http() async throws { try await check([]) }

    @Test("as a job of a queue in Redis", .needsRedis)
    func redis() async throws {
        let server = try RedisServer()
        try await check(["--queue", "redis://127.0.0.1:\(server.port)"])
    }

    private func check(_ options: [String]) async throws {
        try await RunningSidecar.run(attachd, options) { sidecar in
            func post(_ path: String, _ body: String) async throws -> HTTPClient.Answer {
                try await sidecar.send("POST", path, body)
            }
            let rewritten = try await post("/v1/rewrite", Self.payload)
            #expect(rewritten.status == 200 && rewritten.text == Self.payload)
            #expect(rewritten.headers["attachd-outcome"] == "original")
            let part = "\"payload\":\(Self.payload)"
            let result = try await post("/v1/notifications", "{\(part)}")
            #expect(result.status == 200 && result.text.contains(part) && result.text.contains("\"original\""))
            #expect(try await post("/v1/jobs", "{\"id\":\"a\",\(part)}").status == 202)
            let job = try await sidecar.get("/v1/jobs/a?wait=20s")
            #expect(job.status == 200 && job.text.contains(part) && job.text.contains("\"finished\""))
        }
    }
}
