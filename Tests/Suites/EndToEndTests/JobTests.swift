import Base
import Foundation
import Glibc
import Payloads
import Support
import Testing

@Suite("Jobs", .timeLimit(.minutes(10)))
struct JobTests {
    let attachd: AttachdProgram
    let photo = SampleMedia.photo

    init() throws { attachd = try AttachdProgram() }

    private func envelope(_ url: String, id: String, more: String = "") -> String {
        #"{"id":"\#(id)","payload":{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"\#(url)"}\#(more)}"#
    }

    @Test("a submitted job is answered once, and its name belongs to its producer")
    func answered() async throws {
        let origin = try OriginServer { [photo] _ in .body(photo) }
        defer { origin.stop() }
        try await RunningSidecar.run(attachd) { sidecar in
            for _ in 0..<2 {
                let accepted = try await sidecar.enqueue(envelope(origin.url("/photo.jpg"), id: "a"))
                #expect(accepted.status == 202 && accepted.text == #"{"id":"a"}"#)
                #expect(accepted.headers["location"] == "/v1/jobs/a")
            }
            let job = try await sidecar.job("a")
            #expect(job["state"]?.text == "finished" && job["status"]?.text == "ok")
            #expect(job["result"]?["outcome"]?.text == "complete" && job["result"]?["id"]?.text == "a")
            #expect(origin.requests.count == 1)
            #expect(try await sidecar.get("/v1/jobs/b").status == 404)
            #expect(try await sidecar.send("DELETE", "/v1/jobs/a").status == 409)
            #expect(try await sidecar.send("DELETE", "/v1/jobs/b").status == 404)
            let metrics = try await sidecar.get("/metrics").text
            #expect(metrics.contains("attachd_jobs_total{status=\"ok\"} 1\n"))
            #expect(metrics.contains("attachd_queue_jobs{state=\"waiting\"} 0\n"))
        }
    }

    @Test(
        "an invalid job is refused with what to do",
        arguments: [
            (#"{"payload":{"aps":{}},"deadline":"400s"}"#, 400), (#"{"payload":{"a":1}}"#, 422), ("{", 400),
            (#"{"aps":{}}"#, 422), (#"{"payload":{"aps":{}},"callback":7}"#, 422),
            (#"{"payload":{"aps":{}},"callback":"ftp://a.example/"}"#, 422),
            (#"{"payload":{"aps":{}},"callback":"done"}"#, 422),
            (#"{"payload":{"aps":{}},"callback":"http://10.0.0.1/done"}"#, 422),
            (#"{"payload":{"aps":{}},"callback":"http://[::1]/done"}"#, 422),
            (#"{"payload":{"aps":{}},"callback":"http://0x7f000002/done"}"#, 422),
        ],
    )
    func refused(envelope: String, status: Int) async throws {
        try await RunningSidecar.run(attachd) { sidecar in
            let answer = try await sidecar.enqueue(envelope)
            #expect(answer.status == status && answer.headers["content-type"] == "application/problem+json")
            #expect(try await sidecar.get("/v1/jobs/a?wait=soon").status == 400)
        }
    }

    @Test("more requests that wait for results than --requests are refused")
    func waiters() async throws {
        let origin = try OriginServer { [photo] _ in .stall(after: 10, of: photo) }
        defer { origin.stop() }
        try await RunningSidecar.run(attachd, ["--requests", "1"]) { sidecar in
            let slow = envelope(origin.url(), id: "slow", more: #","deadline":"200s""#)
            #expect(try await sidecar.enqueue(slow).status == 202)
            let first = Task {
                while true {
                    // One of the others may have been first.
                    let answer = try await sidecar.get("/v1/jobs/slow?wait=60s")
                    if answer.status != 429 { return answer.text }
                }
            }
            defer { first.cancel() }
            var status = 200
            while status != 429 { status = try await sidecar.get("/v1/jobs/slow?wait=1ms").status }
            #expect(try await sidecar.get("/v1/jobs/slow").status == 200)
            origin.stop()
            #expect(try await first.value.contains("finished"))
        }
    }

    @Test("a full queue refuses jobs, and takes them again once there is room")
    func full() async throws {
        let origin = try OriginServer { [photo] _ in .stall(after: 10, of: photo) }
        defer { origin.stop() }
        try await RunningSidecar.run(attachd, ["--backlog", "1"]) { sidecar in
            let slow = envelope(origin.url(), id: "slow", more: #","deadline":"200s""#)
            #expect(try await sidecar.enqueue(slow).status == 202)
            let busy = try await sidecar.enqueue(envelope(origin.url(), id: "next"))
            #expect(busy.status == 429 && busy.headers["retry-after"] == "1")
            #expect(try JSONValue(parsing: busy.body)["code"] == "queueFull")
            origin.stop()
            #expect(try await sidecar.job("slow")["result"]?["outcome"]?.text == "original")
            #expect(try await sidecar.enqueue(envelope("https://nowhere.invalid/a", id: "next")).status == 202)
        }
    }

    @Test("the result is posted to the callback until it is received, with the trace of the request")
    func callback() async throws {
        let origin = try OriginServer { [photo] _ in .body(photo) }
        defer { origin.stop() }
        let received = Signal()
        let product = try OriginServer { request in
            guard request.headers["attachd-attempt"] != "1" else { return .status(503) }
            received.send()
            return .status(204)
        }
        defer { product.stop() }
        let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        try await RunningSidecar.run(attachd) { sidecar in
            let envelope = envelope(origin.url(), id: "a", more: #","callback":"\#(product.url("/done"))""#)
            let accepted = try await sidecar.enqueue(envelope, headers: ["traceparent": trace])
            #expect(accepted.status == 202)
            await received.wait()
        }
        let posts = product.requests
        #expect(posts.count == 2 && Set(posts.map(\.body)).count == 1)
        let last = try #require(posts.last)
        #expect(last.method == "POST" && last.path == "/done" && last.headers["traceparent"] == trace)
        #expect(last.headers["attachd-job"] == "a" && last.headers["attachd-status"] == "ok")
        #expect(try JSONValue(parsing: last.body)["outcome"]?.text == "complete")
        #expect(last.headers["attachd-signature"]?.contains(#/^t=[0-9]+,v1=[0-9a-f]{64}$/#) == true)
    }

    @Test("a callback that is given up is logged without the secrets of its URL")
    func givenUp() async throws {
        let product = try OriginServer { _ in .status(410) }
        defer { product.stop() }
        try await RunningSidecar.run(attachd) { sidecar in
            let callback = #","callback":"\#(product.url("/done?key=secret"))""#
            #expect(
                try await sidecar.enqueue(envelope("https://nowhere.invalid/", id: "a", more: callback)).status == 202
            )
            try await sidecar.waitForLog("A callback failed for good")
            #expect(sidecar.logged.contains("410") && sidecar.logged.contains(#""job_id":"a""#))
            #expect(sidecar.logged.contains("127.0.0.1") && !sidecar.logged.contains("secret"))
        }
    }

    @Test("the next worker answers the jobs of a killed one")
    func killed() async throws {
        let begun = Signal()
        let origin = try OriginServer { [photo] request in
            guard request.path == "/slow", !begun.isSent else { return .body(photo) }
            begun.send()
            return .stall(after: photo.count / 2, of: photo)
        }
        defer { origin.stop() }
        let first = try RunningSidecar(attachd)
        let slow = envelope(origin.url("/slow"), id: "a", more: #","deadline":"200s""#)
        #expect(try await first.enqueue(slow).status == 202)
        await begun.wait()
        kill(pid_t(first.identifier), SIGKILL)
        _ = first.wait()
        try await RunningSidecar.run(attachd) { sidecar in
            let job = try await sidecar.job("a")
            #expect(job["result"]?["outcome"]?.text == "complete")
        }
    }

    @Test("the command line submits jobs to the sidecar that owns the queue, and waits for their results")
    func commandLine() async throws {
        let origin = try OriginServer { [photo] _ in .body(photo) }
        defer { origin.stop() }
        let payload = #"{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"\#(origin.url())"}"#
        try await RunningSidecar.run(attachd) { sidecar in
            let queue = ["--store", attachd.store]
            let listen = ["--listen", "127.0.0.1:\(sidecar.port)"]
            let run = try await attachd.run(
                ["enqueue", "-", "--id", "a", "--wait"] + queue + listen,
                input: Array(payload.utf8)
            )
            #expect(run.status == 0)
            #expect(try JSONValue(parsing: Array(run.output.utf8))["outcome"]?.text == "complete")
            let shown = try await attachd.run(["jobs", "show", "a"] + queue)
            #expect(shown.status == 0 && shown.output.hasPrefix("finished, ok\n"))
            let list = try await attachd.run(["jobs"] + queue)
            #expect(list.output.hasPrefix("waiting 0; running 0; dead letters 0"))
            func json(_ arguments: [String]) async throws -> JSONValue {
                try JSONValue(
                    parsing: Array(try await attachd.run(["jobs"] + arguments + ["--json"] + queue).output.utf8)
                )
            }
            let finished = try await json(["show", "a"])
            #expect(finished["state"]?.text == "finished" && finished["status"]?.text == "ok")
            // The same words as over HTTP.
            #expect(try await sidecar.job("a") == finished)
            #expect(finished["result"]?["outcome"]?.text == "complete")
            #expect(
                try await json(["list"])
                    == ["waiting": 0, "running": 0, "dead": 0, "oldestWaiting": nil, "jobs": []]
            )
            #expect(try await json(["dead"]) == [])
            #expect(try await attachd.run(["jobs", "show", "b"] + queue).status == 66)
            #expect(try await attachd.run(["jobs", "purge"] + queue).status == 1)
            #expect(try await attachd.run(["jobs", "--queue", "postgres://a"]).status == 78)
            #expect(try await attachd.run(["enqueue", "-"] + queue + listen, input: Array("{".utf8)).status == 65)
            let callback = ["enqueue", "-", "--callback", "mailto:a@b.example"] + queue + listen
            let refused = try await attachd.run(callback, input: Array(payload.utf8))
            #expect(refused.status == 65 && refused.errors.contains("--callback"))
        }
    }
}

extension RunningSidecar {
    fileprivate func send(
        _ method: String,
        _ path: String,
        _ body: String = "",
        headers: [String: String] = [:],
    ) async throws -> HTTPClient.Answer {
        try await HTTPClient.send(method, path: path, port: port, headers: headers, body: Array(body.utf8))
    }

    func enqueue(_ envelope: String, headers: [String: String] = [:]) async throws -> HTTPClient.Answer {
        try await send("POST", "/v1/jobs", envelope, headers: headers)
    }

    /// Returns the job's state once it is answered.
    func job(_ id: String) async throws -> JSONValue {
        try JSONValue(parsing: try await get("/v1/jobs/\(id)?wait=30s").body)
    }
}
