import Foundation
import Payloads
import Support
import Testing

@Suite("Tenants", .timeLimit(.minutes(10)))
struct TenantTests {
    private func envelope(_ url: String, _ id: String, of tenant: String?) -> String {
        let name = tenant.map { #""tenant":"\#($0)","# } ?? ""
        let payload = #"{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"\#(url)"}"#
        return #"{"id":"\#(id)",\#(name)"deadline":"200s","payload":\#(payload)}"#
    }

    private func post(_ envelope: String, _ sidecar: RunningSidecar) async throws -> HTTPClient.Answer {
        try await sidecar.send("POST", "/v1/jobs", envelope)
    }

    @Test(
        "a tenant over its share is refused with its name, while others still enqueue; ids are the tenant's own",
        .needsRedis
    )
    func shares() async throws {
        // Without a worker, no job ends.
        let redis = try RedisServer()
        defer { redis.kill() }
        let attachd = try AttachdProgram()
        let file = attachd.folder.url.appending(path: "attachd.yaml")
        try "backlog: 4\ntenants: {loud: {share: 25}}\n".write(to: file, atomically: true, encoding: .utf8)
        try await RunningSidecar.run(
            attachd,
            ["--config", file.path, "--queue", "redis://127.0.0.1:\(redis.port)", "--no-worker"]
        ) { sidecar in
            func enqueue(_ id: String, of tenant: String?) async throws -> HTTPClient.Answer {
                try await post(envelope("https://a.example/\(id)", id, of: tenant), sidecar)
            }
            let accepted = try await enqueue("1", of: "loud")
            #expect(accepted.status == 202 && accepted.headers["location"] == "/v1/jobs/1?tenant=loud")
            let first = try await sidecar.get("/v1/jobs/1?tenant=loud").text
            let refused = try await enqueue("2", of: "loud")
            #expect(refused.status == 429 && refused.headers["retry-after"] == "1", "\(first)")
            #expect(try JSONValue(parsing: refused.body)["code"] == "tenantShareUsed")
            #expect(refused.text.contains("The tenant loud's share of the queue is full."))
            #expect(try await enqueue("1", of: "quiet").status == 202)
            #expect(try await enqueue("1", of: nil).status == 202)
            #expect(try await sidecar.get("/v1/jobs/1?tenant=loud").text.contains(#""id":"1""#))
            #expect(try await sidecar.get("/v1/jobs/1?tenant=other").status == 404)
            #expect(try await sidecar.get("/v1/jobs/1?tenant=a/b").status == 400)
            #expect(
                try await sidecar.send("DELETE", "/v1/jobs/1?tenant=other").status == 404
            )
        }
    }

    @Test("only the tenants of the configuration have metrics of their own")
    func metrics() async throws {
        let attachd = try AttachdProgram()
        let file = attachd.folder.url.appending(path: "attachd.yaml")
        try "tenants: {chat: {}}\n".write(to: file, atomically: true, encoding: .utf8)
        try await RunningSidecar.run(attachd, ["--config", file.path]) { sidecar in
            for (id, tenant) in [("a", "chat"), ("b", "one"), ("c", "two")] {
                let envelope = #"{"id":"\#(id)","tenant":"\#(tenant)","payload":{"aps":{"alert":"Hi"}}}"#
                #expect(try await post(envelope, sidecar).status == 202)
                #expect(try await sidecar.get("/v1/jobs/\(id)?tenant=\(tenant)&wait=60s").text.contains("finished"))
            }
            let metrics = try await sidecar.get("/metrics").text
            #expect(metrics.contains(#"attachd_tenant_jobs_total{status="original",tenant="chat"} 1"#), "\(metrics)")
            #expect(metrics.contains(#"attachd_tenant_jobs_total{status="original",tenant="other"} 2"#))
            #expect(!metrics.contains(#"tenant="one""#))
        }
    }

    @Test("a tenant's name that is not one is refused at the start", arguments: ["a b", "ü"])
    func names(name: String) async throws {
        let attachd = try AttachdProgram()
        let file = attachd.folder.url.appending(path: "attachd.yaml")
        try "tenants: {\"\(name)\": {share: 5}}\n".write(to: file, atomically: true, encoding: .utf8)
        let outcome = try await attachd.run(["config", "check", file.path])
        #expect(outcome.status == 78 && outcome.errors.contains("is not a tenant's name"))
    }
}
