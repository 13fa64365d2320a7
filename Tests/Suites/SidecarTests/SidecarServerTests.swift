import Base
import Payloads
import Support
import Synchronization
import Testing

@Suite("The sidecar", .timeLimit(.minutes(10)))
struct SidecarServerTests {
    static let payload = #"{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"https://example.com/a.jpg"}"#

    private func post(
        _ path: String,
        _ body: String,
        _ sidecar: SidecarFixture,
        headers: [String: String] = [:],
    ) async throws -> HTTPClient.Answer {
        try await sidecar.send("POST", path, body, headers: headers)
    }

    @Test("a payload comes back rewritten, with outcome, margin and timings in the header")
    func rewrite() async throws {
        try await SidecarFixture.run { sidecar in
            let answer = try await post("/v1/rewrite", Self.payload, sidecar, headers: ["Attachd-Deadline": "5s"])
            #expect(answer.status == 200)
            #expect(answer.headers["attachd-outcome"] == "complete")
            #expect(answer.headers["attachd-margin"].flatMap { Int($0) }.map { (1...5000).contains($0) } == true)
            #expect(answer.headers["server-timing"]?.contains("total;dur=") == true)
            let payload = try JSONValue(parsing: answer.body)
            #expect(payload["my-attachment"]?.text == "file:///store/a.jpg")
        }
    }

    @Test("an envelope gets a whole result")
    func notifications() async throws {
        try await SidecarFixture.run { sidecar in
            let envelope = #"{"id":"n7","profile":"fcm","deadline":"5s","payload":"# + Self.payload + "}"
            let answer = try await post("/v1/notifications", envelope, sidecar)
            let result = try JSONValue(parsing: answer.body)
            #expect(answer.status == 200 && result["id"]?.text == "n7" && result["outcome"]?.text == "complete")
        }
    }

    @Test("a body that nothing fits is told where its media are, and what to configure")
    func mediaInUnknownBody() async throws {
        try await SidecarFixture.run { sidecar in
            let answer = try await post("/v1/rewrite", #"{"event":{"hero":"https://e.co/a.jpg?token=t"}}"#, sidecar)
            let detail = try #require(try JSONValue(parsing: answer.body)["detail"]?.text)
            #expect(answer.status == 422 && detail.contains("/event/hero: https://e.co/a.jpg. If"), "\(detail)")
            #expect(
                detail.hasSuffix(#"dialects: {my-service: {gate: none, url: ["/event/hero"]}}"#)
                    && !detail.contains("token"),
                "\(detail)"
            )
        }
    }

    @Test(
        "only an envelope is told that it is one",
        arguments: [
            (#"{"payload":\#(payload)}"#, true),
            (#"{"id":"a","payload":\#(payload),"callback":"https://e.co/"}"#, true),
            (#"{"payload":{"text":"Hi"}}"#, false), (#"{"to":"u1","payload":\#(payload)}"#, false),
            (#"{"payload":"{}"}"#, false),
        ]
    )
    func envelopeAtRewrite(body: String, isEnvelope: Bool) async throws {
        try await SidecarFixture.run { sidecar in
            for (body, path) in [(body, "single"), ("[\(body)]", "list")] {
                let answer = String(decoding: try await post("/v1/rewrite", body, sidecar).body, as: UTF8.self)
                #expect(answer.contains("This is an envelope") == isEnvelope, "\(path): \(answer)")
            }
        }
    }

    @Test(
        "a method that a path does not have is refused with those that it has, and OPTIONS lists them",
        arguments: [
            ("/livez", "GET, HEAD, OPTIONS", ["POST", "DELETE", "PATCH"]),
            ("/v1/rewrite", "POST, OPTIONS", ["GET", "HEAD", "PUT"]),
            ("/openapi.json", "GET, HEAD, OPTIONS", ["PUT"]),
        ]
    )
    func methods(path: String, allowed: String, others: [String]) async throws {
        try await SidecarFixture.run { sidecar in
            let options = try await sidecar.send("OPTIONS", path)
            #expect(options.status == 204 && options.headers["allow"] == allowed)
            for method in others {
                let refused = try await sidecar.send(method, path)
                #expect(refused.status == 405 && refused.headers["allow"] == allowed, "\(method)")
                #expect(refused.headers["content-type"] == "application/problem+json")
            }
        }
    }

    @Test("/livez fails when a part that everything needs has stood for 30 s, and until it continues")
    func standstill() async throws {
        let (time, heartbeats) = (TestTime(), LoopHeartbeats())
        let answers = Mutex<[@Sendable () -> Void]>([])
        let heartbeat = LoopHeartbeat("transfers", time: time, in: heartbeats) { answer in
            answers.withLock { $0.append(answer) }
        }
        try await SidecarFixture.run(token: "0123456789abcdef", heartbeats: heartbeats) { sidecar in
            heartbeat.beat()
            time.advance(by: .milliseconds(29_999))
            #expect(try await sidecar.send("/livez").status == 200)
            time.advance(by: .milliseconds(1))
            let dead = try await sidecar.send("/livez")
            #expect(dead.status == 503 && dead.text.contains("transfers"), "\(dead.text)")
            for answer in answers.withLock({ $0 }) { answer() }
            #expect(try await sidecar.send("/livez").status == 200)
        }
    }

    @Test("/livez tells the version, and the commit if it is known", arguments: [nil, "45ebb187266d01ef43a4"])
    func version(commit: String?) async throws {
        try await SidecarFixture.run(commit: commit) { sidecar in
            let answer = try await sidecar.send("/livez")
            #expect(answer.headers["attachd-version"] == "9.8" && answer.headers["attachd-commit"] == commit)
        }
    }

    @Test("HEAD answers as GET does, without the body", arguments: ["/livez", "/readyz", "/openapi.json", "/metrics"])
    func head(path: String) async throws {
        try await SidecarFixture.run { sidecar in
            let whole = try await sidecar.send(path)
            let head = try await sidecar.send("HEAD", path)
            #expect(head.status == whole.status && head.body.isEmpty)
            #expect(head.headers["content-length"] == whole.headers["content-length"])
            #expect(head.headers["content-type"] == whole.headers["content-type"])
        }
    }

    @Test(
        "an invalid request is refused with a problem that says what to do",
        arguments: [
            ("/v1/rewrite", "no json", 400), ("/v1/rewrite", "", 400), ("/v1/rewrite", " [", 400),
            ("/v1/rewrite", "[]", 422), ("/v1/rewrite", "1", 422), ("/v1/notifications", "[]", 422),
            ("/v1/rewrite", "{\"a\":1}", 422), ("/v1/rewrite", "{\"aps\":1}", 422),
            ("/v1/notifications", "{", 400), ("/v1/notifications", "{\"aps\":{}}", 422),
            ("/v1/notifications", "{\"payload\":{\"aps\":{}},\"deadlin\":\"5s\"}", 422),
            ("/v1/notifications", "{\"payload\":{\"aps\":{}},\"deadline\":\"5 apples\"}", 422),
            ("/v1/notifications", "{\"payload\":{\"aps\":{}},\"deadline\":5}", 422),
            ("/v1/notifications", "{\"payload\":{\"aps\":{}},\"pushType\":\"sms\"}", 422),
            ("/v1/notifications", "{\"payload\":{\"aps\":{}},\"callback\":\"https://a.example\"}", 422),
            ("/v1/notifications", "{\"payload\":{\"aps\":{}},\"clip\":\"3s\"}", 422),
            ("/v1/notifications", "{\"payload\":{\"aps\":{}},\"clip\":{\"begin\":\"3s\"}}", 422),
            ("/v1/notifications", "{\"payload\":{\"aps\":{}},\"clip\":{\"start\":\"-3s\"}}", 422),
            ("/v1/notifications", "{\"payload\":{\"aps\":{}},\"profile\":\"nokia\"}", 400),
            ("/v1/notifications", "{\"payload\":{\"aps\":{}},\"dialect\":\"nokia\"}", 400),
            ("/v1/rewrite", String(repeating: " ", count: 70_000), 413), ("/v1/nothing", "{}", 404),
        ],
    )
    func refused(path: String, body: String, status: Int) async throws {
        try await SidecarFixture.run { sidecar in
            let answer = try await post(path, body, sidecar)
            #expect(answer.status == status)
            #expect(answer.headers["content-type"] == "application/problem+json")
            let problem = try JSONValue(parsing: answer.body)
            #expect(problem["status"] == .integer(status))
            #expect((problem["detail"]?.text?.count ?? 0) > 20, "\(answer.text)")
        }
    }

    @Test("a malformed option in the header is refused", arguments: ["abc", "-1s", "0s", "1000h", "5"])
    func malformedDeadline(text: String) async throws {
        try await SidecarFixture.run { sidecar in
            let answer = try await post("/v1/rewrite", Self.payload, sidecar, headers: ["Attachd-Deadline": text])
            #expect(answer.status == 400)
        }
    }

    @Test("the push type, in the header or the envelope, decides the largest payload")
    func pushType() async throws {
        try await SidecarFixture.run { sidecar in
            let filler = String(repeating: "x", count: 4400)
            let payload = Self.payload.dropLast() + #","filler":"\#(filler)"}"#
            let alert = try await post("/v1/rewrite", String(payload), sidecar)
            #expect(alert.headers["attachd-outcome"] == "original")
            let voip = try await post("/v1/rewrite", String(payload), sidecar, headers: ["Attachd-Push-Type": "voip"])
            #expect(voip.headers["attachd-outcome"] == "complete")
            let envelope = try await post("/v1/notifications", #"{"pushType":"voip","payload":\#(payload)}"#, sidecar)
            #expect(try JSONValue(parsing: envelope.body)["outcome"]?.text == "complete")
            let sms = try await post("/v1/rewrite", Self.payload, sidecar, headers: ["Attachd-Push-Type": "sms"])
            #expect(sms.status == 400)
        }
    }

    @Test("without the right token only health is answered")
    func token() async throws {
        try await SidecarFixture.run(token: "0123456789abcdef") { sidecar in
            #expect(try await post("/v1/rewrite", Self.payload, sidecar).status == 401)
            for wrong in ["Bearer 0123456789abcdeX", "Bearer ", "Basic 0123456789abcdef", "0123456789abcdef"] {
                let answer = try await post("/v1/rewrite", Self.payload, sidecar, headers: ["Authorization": wrong])
                #expect(answer.status == 401 && answer.headers["www-authenticate"] == "Bearer")
            }
            let right = ["Authorization": "Bearer 0123456789abcdef"]
            #expect(try await post("/v1/rewrite", Self.payload, sidecar, headers: right).status == 200)
            #expect(try await sidecar.send("/livez").status == 200)
        }
    }

    @Test("a request beyond the number of permits is answered with 429 and Retry-After")
    func full() async throws {
        let (started, hold) = (Signal(), Signal())
        try await SidecarFixture.run(requestLimit: 1, started: started, hold: hold) { sidecar in
            async let first = post("/v1/rewrite", Self.payload, sidecar)
            await started.wait()
            let second = try await post("/v1/rewrite", Self.payload, sidecar)
            #expect(second.status == 429 && second.headers["retry-after"] == "1")
            #expect(try JSONValue(parsing: second.body)["code"] == "tooManyRequests")
            hold.send()
            let status = try await first.status
            #expect(status == 200)
        }
    }

    @Test(
        "while it drains, balancers learn it, and what will be answered before the end is taken, on one connection each"
    )
    func draining() async throws {
        try await SidecarFixture.run { sidecar in
            sidecar.drain(within: .seconds(20))
            #expect(try await sidecar.send("/readyz").status == 503)
            #expect(try await sidecar.send("/livez").status == 200)
            for path in ["/v1/rewrite", "/v1/notifications"] {
                let body = path == "/v1/rewrite" ? Self.payload : #"{"deadline":"5s","payload":\#(Self.payload)}"#
                let soon = try await post(path, body, sidecar, headers: ["Attachd-Deadline": "5s"])
                #expect(soon.status == 200 && soon.headers["connection"] == "close")
                let list = try await post(path, "[\(body)]", sidecar, headers: ["Attachd-Deadline": "5s"])
                #expect(list.status == 200)
                let late = path == "/v1/rewrite" ? Self.payload : #"{"payload":\#(Self.payload)}"#
                for body in [late, "[\(late)]"] {
                    let refused = try await post(path, body, sidecar)
                    #expect(refused.status == 503 && refused.headers["connection"] == "close")
                    #expect(refused.headers["retry-after"] == "1")
                }
            }
            let connection = try RawConnection(port: sidecar.port)
            _ = connection.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await connection.read().lowercased().contains("connection: close"))
        }
    }

    @Test("requests from before the shutdown are answered")
    func drain() async throws {
        let (started, hold) = (Signal(), Signal())
        try await SidecarFixture.run(started: started, hold: hold) { sidecar in
            async let answer = post("/v1/rewrite", Self.payload, sidecar)
            await started.wait()
            await sidecar.beginShutdown()
            hold.send()
            let status = try await answer.status
            #expect(status == 200)
        }
    }

    @Test(
        "health and metrics are answered",
        arguments: [("/livez", true, 200), ("/readyz", true, 200), ("/readyz", false, 503)],
    )
    func health(path: String, isReady: Bool, status: Int) async throws {
        try await SidecarFixture.run(isReady: isReady) { sidecar in
            #expect(try await sidecar.send(path).status == status)
            let metrics = try await sidecar.send("/metrics")
            #expect(metrics.text == "attachd_test 1\n")
            #expect(metrics.headers["content-type"]?.contains("version=0.0.4") == true)
        }
    }
}
