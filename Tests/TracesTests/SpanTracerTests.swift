import Synchronization
import Testing
import Traces
import Tracing

@Suite("Spans")
struct SpanTracerTests {
    private let finished = Finished()

    private func tracer(_ sampler: Sampler = .parent(otherwise: .always)) -> SpanTracer {
        SpanTracer(sampler) { [finished] span in finished.spans.withLock { $0.append(span) } }
    }

    @Test("a span below another has its trace, and the caller's context goes on with both")
    func children() throws {
        let tracer = tracer()
        var caller = ServiceContext.topLevel
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        tracer.extract(["traceparent": parent, "tracestate": "a=1"], into: &caller, using: Carrier())
        let outer = tracer.startSpan("outer", context: caller, ofKind: .server)
        let inner = tracer.startSpan("inner", context: outer.context)
        var headers: [String: String] = [:]
        tracer.inject(inner.context, into: &headers, using: Carrier())
        inner.end()
        outer.end()
        let spans = finished.spans.withLock { $0 }
        #expect(spans.map(\.name) == ["inner", "outer"])
        #expect(spans[0].parent == outer.identity.span && spans[1].parent == caller.spanContext?.span)
        #expect(Set(spans.map(\.context.trace)) == [try #require(caller.spanContext?.trace)])
        #expect(headers == ["traceparent": inner.identity.parent, "tracestate": "a=1"])
    }

    @Test("a trace that is not sampled goes on to others, and nothing of it is kept")
    func unsampled() {
        let tracer = tracer(.never)
        let span = tracer.startSpan("quiet", context: .topLevel)
        span.attributes["key"] = "value"
        span.addEvent("event")
        #expect(!span.isRecording && span.attributes.isEmpty && span.identity.parent.hasSuffix("-00"))
        let below = tracer.startSpan("below", context: span.context)
        #expect(below.identity.trace == span.identity.trace && !below.identity.isSampled)
        below.end()
        span.end()
        #expect(finished.spans.withLock { $0.isEmpty })
    }

    @Test("a share of traces is the same in all processes, and about that share")
    func share() {
        let sampler = Sampler.share(0.25)
        var sampled = 0
        for number in 0..<4000 {
            guard let trace = TraceID(high: 7, low: UInt64(number) &* 0x9E37_79B9_7F4A_7C15) else { continue }
            let context = SpanContext(trace: trace, span: .one, isSampled: false)
            #expect(sampler.samples(trace, parent: nil) == sampler.samples(trace, parent: context))
            sampled += sampler.samples(trace, parent: nil) ? 1 : 0
        }
        #expect((900...1100).contains(sampled))
    }

    @Test("a caller decides for a trace where the rule says so", arguments: [true, false])
    func parent(isSampled: Bool) throws {
        let trace = try #require(TraceID(high: 1, low: 1))
        let caller = SpanContext(trace: trace, span: .one, isSampled: isSampled)
        #expect(Sampler.parent(otherwise: isSampled ? .never : .always).samples(trace, parent: caller) == isSampled)
    }

    @Test("more attributes, events and links than the limit are counted, and texts are short and on one line")
    func limits() throws {
        let span = tracer().startSpan("full", context: .topLevel)
        var attributes = SpanAttributes()
        for number in 0..<200 { attributes["key\(number)"] = "one\ntwo" + String(repeating: "x", count: 2000) }
        span.attributes = attributes
        for _ in 0..<200 {
            span.addEvent("event")
            span.addLink(SpanLink(context: span.context, attributes: [:]))
        }
        span.end()
        let record = try #require(finished.spans.withLock { $0.first }).record
        #expect(record.attributes.count == 32 && record.droppedAttributes == 168)
        #expect(record.events.count == 32 && record.droppedEvents == 168)
        #expect(record.links.count == 32 && record.droppedLinks == 168)
        record.attributes.forEach { _, value in
            guard case .string(let text) = value else { return }
            #expect(text.utf8.count < 600 && !text.contains("\n"))
        }
    }

    @Test("a span ends once, not before it began, and takes nothing afterwards")
    func ending() throws {
        let span = tracer().startSpan(
            "once",
            context: .topLevel,
            at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: 50)
        )
        span.end(at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: 20))
        span.attributes["late"] = "yes"
        span.end()
        let spans = finished.spans.withLock { $0 }
        let only = try #require(spans.first)
        #expect(spans.count == 1 && only.start == 50 && only.end == 50 && only.record.attributes.isEmpty)
    }

    @Test("a span does not keep itself alive")
    func lifetime() {
        weak var kept: RecordedSpan?
        do {
            let span = tracer().startSpan("gone", context: .topLevel)
            _ = tracer().startSpan("below", context: span.context)
            span.end()
            kept = span
            #expect(kept != nil)
        }
        #expect(kept == nil)
    }
}

private final class Finished: Sendable {
    let spans = Mutex<[FinishedSpan]>([])
}

private struct Carrier: Extractor, Injector {
    func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }

    func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) { carrier[key] = value }
}

extension SpanID {
    fileprivate static var one: SpanID {
        guard let one = SpanID(1) else { preconditionFailure("1 is not 0") }
        return one
    }
}
