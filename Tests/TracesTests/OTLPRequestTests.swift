import Payloads
import Support
import Testing
import Traces
import Tracing

@Suite("Spans for a collector (OTLP)")
struct OTLPRequestTests {
    private func request() throws -> OTLPRequest {
        let trace = try #require(TraceID(high: 0x4bf9_2f35_77b3_4da6, low: 0xa3ce_929d_0e0e_4736))
        let (span, parent) = (try #require(SpanID(0x00f0_67aa_0ba9_02b7)), try #require(SpanID(0xff00_0000_0000_0001)))
        var record = SpanRecord()
        record.attributes = [
            "text": "ä \"quoted\"", "number": -7, "share": 0.5, "flag": false, "list": .stringArray(["a", "b"]),
        ]
        record.events = [.init(name: "event", time: .max, attributes: ["attachd.rung": "full"])]
        let other = SpanContext(trace: trace, span: parent, isSampled: false, state: "b=2")
        record.links = [.init(context: other, attributes: [:])]
        record.status = SpanStatus(code: .error, message: "It failed.")
        record.droppedEvents = 3
        let finished = FinishedSpan(
            name: "download",
            context: SpanContext(trace: trace, span: span, isSampled: true, state: "a=1"),
            parent: parent,
            kind: .client,
            start: 1_700_000_000_000_000_001,
            end: 1_700_000_000_000_000_300,
            record: record,
        )
        return OTLPRequest(resource: ["service.name": "attachd"], version: "1", spans: [finished, finished])
    }

    @Test(
        "OpenTelemetry's own definitions read both encodings alike",
        .needsCollector,
        arguments: TraceSettings.Format.allCases
    )
    func reading(format: TraceSettings.Format) async throws {
        let collector = try CollectorServer()
        let answer = try await HTTPClient.send(
            "POST",
            path: "/v1/traces",
            port: collector.port,
            headers: ["Content-Type": format.mediaType],
            body: try request().body(format),
        )
        #expect(answer.status == 200)
        let spans = try await collector.nextSpans()
        let span = try #require(spans.first)
        #expect(spans.count == 2 && span.service == "attachd" && span.name == "download" && span.kind == 3)
        #expect(span.trace == "4bf92f3577b34da6a3ce929d0e0e4736" && span.span == "00f067aa0ba902b7")
        #expect(span.parent == "ff00000000000001" && span.state == "a=1" && span.status == 2)
        #expect(span.start == 1_700_000_000_000_000_001 && span.end == 1_700_000_000_000_000_300)
        #expect(span.attributes["text"] == "ä \"quoted\"" && span.attributes["number"] == "-7")
        #expect(span.attributes["share"] == "0.5" && span.attributes["flag"] == "False")
        #expect(span.attributes["list"]?.contains("string_value: \"b\"") == true)
        #expect(span.events.map(\.name) == ["event"] && span.events.first?.time == .max)
        #expect(span.links.map(\.span) == ["ff00000000000001"])
    }

    @Test("numbers that JSON doesn't have are words")
    func odd() throws {
        var request = try request()
        request.spans[0].record.attributes.set("nan", value: .double(.nan))
        request.spans[0].record.attributes.set("infinite", value: .double(-.infinity))
        let json = String(decoding: request.body(.json), as: UTF8.self)
        #expect(json.contains(#"{"doubleValue":"NaN"}"#) && json.contains(#"{"doubleValue":"-Infinity"}"#))
        #expect((try? JSONValue(parsing: Array(json.utf8))) != nil)
    }
}
