import Base
import Support
import Testing

@testable import Observability

@Suite("Spans for a collector (OTLP)", .timeLimit(.minutes(10)))
struct OTLPRequestTests {
    private func request() throws -> OTLPRequest {
        let trace = try #require(TraceID(high: 0x4bf9_2f35_77b3_4da6, low: 0xa3ce_929d_0e0e_4736))
        let (span, parent) = (try #require(SpanID(0x00f0_67aa_0ba9_02b7)), try #require(SpanID(0xff00_0000_0000_0001)))
        var record = SpanRecord()
        record.attributes = ["text": "ä \"quoted\"", "number": -7]
        // The latest time that the format can have.
        let latest = UnixTime(seconds: 18_446_744_073, nanoseconds: 709_551_615)
        record.events = [.init(name: "event", time: latest, attributes: ["attachd.rung": "full"])]
        let other = SpanContext(trace: trace, span: parent, isSampled: false, state: "b=2")
        record.links = [.init(context: other, attributes: [:])]
        (record.isFailed, record.failure) = (true, "It failed.")
        record.droppedEvents = 3
        let finished = FinishedSpan(
            name: "download",
            context: SpanContext(trace: trace, span: span, isSampled: true, state: "a=1"),
            parent: parent,
            kind: .client,
            start: UnixTime(seconds: 1_700_000_000, nanoseconds: 1),
            end: UnixTime(seconds: 1_700_000_000, nanoseconds: 300),
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
        let answer = try await collector.send(
            "POST",
            "/v1/traces",
            headers: ["Content-Type": format.mediaType],
            body: try request().body(format)
        )
        #expect(answer.status == 200)
        let spans = try await collector.nextSpans()
        let span = try #require(spans.first)
        #expect(spans.count == 2 && span.service == "attachd" && span.name == "download" && span.kind == 3)
        #expect(span.trace == "4bf92f3577b34da6a3ce929d0e0e4736" && span.span == "00f067aa0ba902b7")
        #expect(span.parent == "ff00000000000001" && span.state == "a=1" && span.status == 2)
        #expect(span.start == 1_700_000_000_000_000_001 && span.end == 1_700_000_000_000_000_300)
        #expect(span.attributes["text"] == "ä \"quoted\"" && span.attributes["number"] == "-7")
        #expect(span.events.map(\.name) == ["event"] && span.events.first?.time == .max)
        #expect(span.links.map(\.span) == ["ff00000000000001"])
    }
}
