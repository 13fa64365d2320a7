import Base
import Foundation
import Glibc
import Payloads
import Support
import Testing

@Suite("attachd serve", .timeLimit(.minutes(10)))
struct ServeTests {
    let attachd: AttachdProgram
    let photo = SampleMedia.photo

    init() throws { attachd = try AttachdProgram() }

    private func outcome(_ answer: HTTPClient.Answer) throws -> String? {
        try JSONValue(parsing: answer.body)["outcome"]?.text
    }

    @Test("the sidecar is ready, decodes, and counts its work")
    func serves() async throws {
        let origin = try OriginServer { [photo] _ in .body(photo) }
        defer { origin.stop() }
        try await RunningSidecar.run(attachd) { sidecar in
            #expect(try await sidecar.get("/livez").status == 200)
            #expect(try await sidecar.get("/readyz").status == 200)
            let answer = try await sidecar.post(origin.url("/photo.jpg"))
            #expect(answer.status == 200)
            #expect(try outcome(answer) == "complete")
            let metrics = try await sidecar.get("/metrics").text
            #expect(metrics.contains("attachd_notifications_total{outcome=\"complete\"} 1\n"))
            #expect(metrics.contains("attachd_stage_seconds_count{stage=\"decode\"} 1\n"))
            #expect(metrics.contains(/\nprocess_resident_memory_bytes [1-9][0-9]{6}/))
        }
        #expect(attachd.leftovers == [])
    }

    @Test("a list of payloads is answered by its deadline, in order, also where an origin never answers")
    func list() async throws {
        let origin = try OriginServer { [photo] request in
            request.path.contains("stuck") ? .stall(after: 0, of: photo) : .body(photo)
        }
        defer { origin.stop() }
        let options = ["--requests", "16", "--public-url", "https://push.example"]
        try await RunningSidecar.run(attachd, options) { sidecar in
            let sources = ["/a.jpg", "/stuck.jpg", "/b.jpg", "/c.jpg"].map { origin.url($0) }
            let payloads = sources.map { url -> JSONValue in
                ["aps": ["alert": "Hi", "mutable-content": 1], "my-attachment": .string(url)]
            }
            let list = JSONValue.array(payloads + [["no": "payload"]])
            let answer = try await sidecar.send(
                "POST",
                "/v1/rewrite",
                headers: ["Attachd-Deadline": "8s"],
                body: list.compactBytes
            )
            #expect(answer.status == 200 && answer.headers["attachd-outcome"] == "original")
            guard case .array(let answers) = try JSONValue(parsing: answer.body) else { throw Missing() }
            try #require(answers.count == 5)
            for index in [0, 2, 3] {
                #expect(answers[index]["my-attachment"]?.text?.hasPrefix("https://push.example/") == true)
            }
            #expect(answers[1] == payloads[1] && answers[4]["status"] == 422)
        }
    }

    private struct Missing: Error {}

    @Test(
        "a counter that alerts use exists before it counts",
        arguments: [
            #"attachd_jobs_late_total"#, #"attachd_jobs_busy_total"#, #"attachd_jobs_dead_lettered_total"#,
            #"attachd_decoder_deaths_total{signal="31"}"#, #"attachd_store_failures_total{reason="full"}"#,
            #"attachd_notifications_total{outcome="original"}"#,
        ],
    )
    func countersStartAtZero(counter: String) async throws {
        try await RunningSidecar.run(attachd) { sidecar in
            let metrics = try await sidecar.get("/metrics").text
            #expect(metrics.contains("\n\(counter) 0\n"))
        }
    }

    @Test(
        "a local file is never read for an HTTP client",
        arguments: ["file:///etc/passwd", "/etc/passwd", "etc/passwd"],
    )
    func noLocalFiles(url: String) async throws {
        try await RunningSidecar.run(attachd) { sidecar in
            let result = try JSONValue(parsing: try await sidecar.post(url).body)
            #expect(result["outcome"]?.text == "original")
            #expect(result.value(at: try JSONPointer("/errors/0/code")) == .integer(100))
        }
    }

    @Test(
        "after the kill of a decoder or the zygote during a job, that job is answered and the next one works",
        arguments: ["decoder", "zygote"],
    )
    func kills(victim: String) async throws {
        let reached = Signal()
        let origin = try OriginServer { [photo] request in
            if request.path == "/whole" { return .body(photo) }
            reached.send()
            return .stall(after: photo.count / 2, of: photo)
        }
        defer { origin.stop() }
        try await RunningSidecar.run(attachd, ["--decoders", "1"]) { sidecar in
            #expect(try await sidecar.get("/readyz").status == 200)
            async let stalled = sidecar.post(origin.url("/stalls"), deadline: "5s")
            await reached.wait()
            let zygote = try #require(sidecar.zygote)
            // Kills all decoders: the one that has the job and the spares.
            for process in victim == "zygote" ? [zygote] : sidecar.decoders { kill(pid_t(process), SIGKILL) }
            let answer = try await stalled
            #expect(answer.status == 200)
            #expect(["original", "degraded"].contains(try outcome(answer)))

            #expect(try outcome(try await sidecar.post(origin.url("/whole"))) == "complete")
        }
        #expect(attachd.leftovers == [])
    }

    @Test("SIGTERM lets running requests be answered, and ends the program with status 0")
    func drains() async throws {
        let reached = Signal()
        let origin = try OriginServer { [photo] _ in
            reached.send()
            return .stall(after: photo.count / 2, of: photo)
        }
        defer { origin.stop() }
        let sidecar = try RunningSidecar(attachd)
        async let answer = sidecar.post(origin.url("/stalls"), deadline: "2s")
        await reached.wait()
        sidecar.terminate()
        let status = try? await answer.status
        #expect(sidecar.wait() == 0)
        #expect(status == 200)
        #expect(attachd.leftovers == [])
    }

    @Test("after SIGTERM requests are still taken for a while, which another signal ends")
    func drainTime() async throws {
        let origin = try OriginServer { [photo] _ in .body(photo) }
        defer { origin.stop() }
        let sidecar = try RunningSidecar(attachd, ["--drain", "10s"])
        #expect(try await sidecar.get("/readyz").status == 200)
        sidecar.terminate()
        while try await sidecar.get("/readyz").status != 503 { try Task.checkCancellation() }
        let answer = try await sidecar.post(origin.url("/a.jpg"), deadline: "8s")
        #expect(answer.status == 200 && answer.headers["connection"] == "close")
        #expect(try JSONValue(parsing: answer.body)["outcome"]?.text == "complete")
        let late = try await sidecar.post(origin.url("/a.jpg"), deadline: "30s")
        #expect(late.status == 503 && late.headers["connection"] == "close")
        sidecar.terminate()
        #expect(sidecar.wait() == 0)
    }

    @Test("no decoder process outlives a killed worker")
    func workerKilled() async throws {
        let sidecar = try RunningSidecar(attachd)
        let ready = try? await sidecar.get("/readyz").status
        let processes = sidecar.decoders + [sidecar.zygote].compactMap(\.self)
        kill(pid_t(sidecar.identifier), SIGKILL)
        #expect(sidecar.wait() == -SIGKILL)
        #expect(ready == 200 && processes.count >= 2)
        // The decoders end by themselves. If they don't, the time limit ends this test.
        while processes.contains(where: RunningSidecar.isAlive) { try Task.checkCancellation() }
    }

    @Test("a source over TLS is fetched when its authority is trusted, and refused when it isn't")
    func tls() async throws {
        let server = try TLSOrigin(["/photo.jpg": .body(photo, type: "image/jpeg")])
        let trusted = try await attachd.process(server.url("/photo.jpg"), ["--ca-file", server.authoritiesFile])
        #expect(trusted.outcome == "complete", "\(String(describing: trusted.result))")
        let distrusted = try await attachd.process(server.url("/photo.jpg"))
        #expect(distrusted.outcome == "original")
        #expect(distrusted.value("/errors/0/reason")?.text == "tlsFailed")
    }
}
