import Foundation
import Glibc
import Payloads
import Support
import Testing

@Suite("Traces", .timeLimit(.minutes(10)), .needsCollector)
struct TraceTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let caller = "00-\(trace)-00f067aa0ba902b7-01"

    private let photo = SampleMedia.photo

    private func attachd(_ collector: CollectorServer, _ more: [String: String] = [:]) throws -> AttachdProgram {
        var attachd = try AttachdProgram()
        attachd.environment = [
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.endpoint, "OTEL_BSP_SCHEDULE_DELAY": "100",
            "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20a",
        ]
        .merging(more) { $1 }
        return attachd
    }

    private func envelope(_ url: String, more: String = "") -> [UInt8] {
        Array(
            #"{"id":"a","payload":{"aps":{"mutable-content":1,"alert":"Hi"},"my-attachment":"\#(url)"}\#(more)}"#.utf8
        )
    }

    @Test("a notification over HTTP is one trace with the caller's", arguments: ["http/protobuf", "http/json"])
    func request(format: String) async throws {
        let collector = try CollectorServer()
        let origin = try OriginServer { [photo] _ in .body(photo) }
        defer { origin.stop() }
        let attachd = try attachd(collector, ["OTEL_EXPORTER_OTLP_PROTOCOL": format])
        try await RunningSidecar.run(attachd) { sidecar in
            let answer = try await sidecar.send(
                "POST",
                "/v1/notifications",
                headers: ["traceparent": Self.caller],
                body: envelope(origin.url("/secret-path.jpg?key=secret-key"))
            )
            #expect(answer.status == 200)
            let spans = try await collector.spans(named: ["POST /v1/notifications", "download", "decode", "store"])
            let root = try #require(spans.first { $0.name == "POST /v1/notifications" })
            #expect(Set(spans.map(\.trace)) == [Self.trace] && root.parent == "00f067aa0ba902b7" && root.kind == 2)
            for span in spans where span.name != root.name {
                #expect(span.parent == root.span && span.start >= root.start, "\(span.name)")
            }
            #expect(root.attributes["attachd.outcome"] == "complete" && root.service == "attachd")
            #expect(root.authorization == "Bearer a" && root.attributes["http.response.status_code"] == "200")
            let download = try #require(spans.first { $0.name == "download" })
            #expect(download.attributes["server.address"] == "127.0.0.1" && download.kind == 3)
            #expect(download.attributes["attachd.fetched_bytes"] == "\(photo.count)")
            let head = try #require(download.events.first { $0.name == "answer" })
            #expect(head.attributes["attachd.connect_ms"] != nil && head.attributes["attachd.first_byte_ms"] != nil)
            let decode = try #require(spans.first { $0.name == "decode" })
            #expect(decode.attributes["attachd.waited_ms"] != nil && decode.events.contains { $0.name == "output" })
            #expect(!spans.contains { "\($0)".contains("secret") })
            // The log names the trace, too.
            try await sidecar.waitForLog("Notification finished.")
            #expect(sidecar.logged.contains(#""trace_id":"\#(Self.trace)""#))
            // An origin learns nothing of it.
            #expect(origin.requests.allSatisfy { $0.headers["traceparent"] == nil })
        }
    }

    @Test("a client's mistake is no error of the span, and an invalid trace begins a new one without its state")
    func mistake() async throws {
        let collector = try CollectorServer()
        try await RunningSidecar.run(try attachd(collector)) { sidecar in
            let answer = try await sidecar.send(
                "POST",
                "/v1/rewrite",
                "{}",
                headers: ["traceparent": "x", "tracestate": "a=b"]
            )
            #expect(answer.status == 422)
            let span = try #require(try await collector.spans(named: ["POST /v1/rewrite"]).first)
            #expect(span.attributes["http.response.status_code"] == "422" && span.status == 0)
            #expect(span.parent == "" && span.state == "" && span.trace != Self.trace)
        }
    }

    @Test("a job with an invalid trace passes on a new one, and not the old state")
    func invalidJob() async throws {
        let collector = try CollectorServer()
        let product = try OriginServer { _ in .status(204) }
        defer { product.stop() }
        try await RunningSidecar.run(try attachd(collector)) { sidecar in
            let answer = try await sidecar.send(
                "POST",
                "/v1/jobs",
                headers: ["traceparent": "x", "tracestate": "a=b"],
                body: envelope("https://nowhere.invalid/", more: #","callback":"\#(product.url("/done"))""#)
            )
            #expect(answer.status == 202)
            _ = try await collector.spans(named: ["callback"])
            let request = try #require(product.requests.first)
            #expect(request.headers["tracestate"] == nil && request.headers["traceparent"]?.hasSuffix("-01") == true)
        }
    }

    @Test("a job is the same trace from its producer to its callback")
    func job() async throws {
        let collector = try CollectorServer()
        let origin = try OriginServer { [photo] _ in .body(photo) }
        let product = try OriginServer { _ in .status(204) }
        defer {
            origin.stop()
            product.stop()
        }
        try await RunningSidecar.run(try attachd(collector)) { sidecar in
            let answer = try await sidecar.send(
                "POST",
                "/v1/jobs",
                headers: ["traceparent": Self.caller],
                body: envelope(origin.url("/a.jpg"), more: #","callback":"\#(product.url("/done"))""#)
            )
            #expect(answer.status == 202)
            let names: Set = ["POST /v1/jobs", "process job", "queue", "download", "decode", "store", "callback"]
            let spans = try await collector.spans(named: names)
            #expect(Set(spans.map(\.trace)) == [Self.trace])
            let root = try #require(spans.first { $0.name == "POST /v1/jobs" })
            let work = try #require(spans.first { $0.name == "process job" })
            let callback = try #require(spans.first { $0.name == "callback" })
            #expect(work.parent == root.span && work.links.map(\.span) == [root.span] && work.kind == 5)
            #expect(work.attributes["attachd.status"] == "ok" && work.attributes["messaging.message.id"] == "a")
            let queue = try #require(spans.first { $0.name == "queue" })
            #expect(queue.parent == work.span && queue.start <= work.start)
            #expect(callback.parent == root.span && callback.attributes["attachd.outcome"] == "received")
            // The receiver continues the callback's span.
            let sent = try #require(product.requests.first?.headers["traceparent"])
            #expect(sent == "00-\(Self.trace)-\(callback.span)-01")
        }
    }

    @Test("a notification that joins the work of another has a link to it")
    func joined() async throws {
        let collector = try CollectorServer()
        let reached = Signal()
        let release = DispatchSemaphore(value: 0)
        let origin = try OriginServer { [photo] _ in
            reached.send()
            release.wait()
            return .body(photo)
        }
        defer { origin.stop() }
        try await RunningSidecar.run(try attachd(collector)) { sidecar in
            async let first = sidecar.post(origin.url("/a.jpg"))
            await reached.wait()
            async let second = sidecar.post(origin.url("/a.jpg"))
            try await eventually {
                try await sidecar.get("/metrics").text.contains("attachd_attachments_joined_total 1\n")
            }
            release.signal()
            #expect(try await [first.status, second.status] == [200, 200])
            var roots: [CollectorServer.Span] = []
            while roots.count < 2 {
                roots += try await collector.nextSpans().filter { $0.name == "POST /v1/notifications" }
            }
            #expect(Set(roots.map(\.trace)).count == 2)
            let joined = try #require(roots.first { !$0.links.isEmpty })
            let began = try #require(roots.first { $0.links.isEmpty })
            #expect(joined.links.map(\.span) == [began.span] && joined.links.map(\.trace) == [began.trace])
        }
    }

    @Test(
        "a collector that is away, refuses, or comes back costs spans and nothing else",
        arguments: [[503], [401], [400, 400]]
    )
    func failing(statuses: [Int]) async throws {
        let collector = try CollectorServer(statuses: statuses)
        let origin = try OriginServer { _ in .status(404) }
        defer { origin.stop() }
        try await RunningSidecar.run(try attachd(collector)) { sidecar in
            #expect(try await sidecar.post(origin.url("/a.jpg")).status == 200)
            if statuses == [503] {
                // The same spans arrive with the next attempt.
                #expect(try await collector.spans(named: ["POST /v1/notifications"]).count >= 2)
            } else {
                try await sidecar.waitForLog("The collector did not take spans.")
                #expect(
                    try await sidecar.get("/metrics").text.contains("attachd_spans_dropped_total{reason=\"collector\"}")
                )
            }
        }
    }

    @Test("a collector that hangs delays neither answers nor the end")
    func hanging() async throws {
        let stalled = try OriginServer { _ in .stall(after: 0, of: [1]) }
        let origin = try OriginServer { [photo] _ in .body(photo) }
        defer {
            stalled.stop()
            origin.stop()
        }
        var attachd = try AttachdProgram()
        attachd.environment = [
            "OTEL_EXPORTER_OTLP_ENDPOINT": stalled.url(""), "OTEL_BSP_SCHEDULE_DELAY": "1",
            "OTEL_BSP_MAX_QUEUE_SIZE": "4", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "1",
        ]
        let sidecar = try RunningSidecar(attachd)
        for number in 0..<8 {
            let answer = try await sidecar.post(origin.url("/\(number).jpg"))
            #expect(try JSONValue(parsing: answer.body)["outcome"]?.text == "complete")
        }
        #expect(try await sidecar.get("/readyz").status == 200)
        // The spans that did not fit are counted.
        #expect(try await sidecar.get("/metrics").text.contains("attachd_spans_"))
        sidecar.terminate()
        #expect(sidecar.wait() == 0)
    }

    @Test("a variable that attachd cannot follow ends it with what to write instead", arguments: ["serve", "work"])
    func refused(command: String) async throws {
        var attachd = try AttachdProgram()
        attachd.environment = ["OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"]
        let outcome = try await attachd.run([command, "--store", attachd.store])
        #expect(outcome.status == 78 && outcome.errors.contains("OTEL_EXPORTER_OTLP_PROTOCOL"))
        #expect(outcome.errors.contains("http/protobuf"))
    }
}
