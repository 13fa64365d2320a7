import Base
import Observability
import Synchronization
import Testing

@Suite("Spans", .timeLimit(.minutes(10)))
struct SpanTracerTests {
    private let finished = Finished()

    private func tracer(_ sampler: Sampler = .parent(otherwise: .always)) -> SpanTracer {
        SpanTracer(sampler) { [finished] span in finished.spans.withLock { $0.append(span) } }
    }

    @Test("a span below another has its trace, and the caller's context goes on with both")
    func children() throws {
        let tracer = tracer()
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let caller = try #require(SpanContext(TraceContext(parent: parent, state: "a=1")))
        let outer = tracer.span("outer", .server, below: caller)
        let inner = tracer.span("inner", below: outer.context)
        inner.end()
        outer.end()
        let spans = finished.spans.withLock { $0 }
        #expect(spans.map(\.name) == ["inner", "outer"])
        #expect(spans[0].parent == outer.context.span && spans[1].parent == caller.span)
        #expect(Set(spans.map(\.context.trace)) == [caller.trace])
        #expect(inner.trace == TraceContext(parent: "00-\(caller.trace)-\(inner.context.span)-01", state: "a=1"))
    }

    @Test("a trace that is not sampled goes on to others, and nothing of it is kept")
    func unsampled() {
        let tracer = tracer(.never)
        let span = tracer.span("quiet", below: nil)
        span.add(["key": "value"])
        span.add(event: "event")
        #expect(!span.isRecording && span.trace.parent.hasSuffix("-00"))
        let below = tracer.span("below", below: span.context)
        #expect(below.context.trace == span.context.trace && !below.context.isSampled)
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
        let span = tracer().span("full", below: nil)
        for number in 0..<200 {
            span.add(["key\(number)": .text("one\ntwo" + String(repeating: "x", count: 2000))])
            span.add(event: "event")
            span.add(link: span.context)
        }
        span.end()
        let record = try #require(finished.spans.withLock { $0.first }).record
        #expect(record.attributes.count == 32 && record.droppedAttributes == 168)
        #expect(record.events.count == 32 && record.droppedEvents == 168)
        #expect(record.links.count == 32 && record.droppedLinks == 168)
        for value in record.attributes.values {
            guard case .text(let text) = value else { continue }
            #expect(text.utf8.count < 600 && !text.contains("\n"))
        }
    }

    @Test("a span ends once, not before it began, and takes nothing afterwards")
    func ending() throws {
        let span = tracer().span("once", below: nil, from: UnixTime(seconds: 50))
        span.end(at: UnixTime(seconds: 20))
        span.add(["late": "yes"])
        span.end()
        let spans = finished.spans.withLock { $0 }
        let only = try #require(spans.first)
        #expect(
            spans.count == 1 && only.start.seconds == 50 && only.end.seconds == 50 && only.record.attributes.isEmpty
        )
    }

    @Test("the span of an activity ends with its work, and lives no longer")
    func lifetime() async throws {
        let recorder = Beginning(tracer: tracer())
        weak var kept: RecordedSpan?
        await recorder.record({ $0 }) { activity in
            #expect(Activity.current == activity && RecordedSpan.current?.context == SpanContext.current)
            await Task { #expect(Activity.current == activity) }.value
            kept = RecordedSpan.current
            #expect(kept?.isRecording == true)
        }
        #expect(kept == nil && Activity.current == nil)
        #expect(throws: CancellationError.self) {
            try recorder.record({ $0 }) { (_: Activity) throws(CancellationError) -> Void in throw CancellationError() }
        }
        #expect(finished.spans.withLock { $0.map(\.name) } == ["work", "work"])
    }
}

/// A recorder that gives each activity a span.
private struct Beginning: EventRecorder {
    let tracer: SpanTracer

    func record(_ activity: Activity) { activity.span = tracer.span("work", below: .current) }
}

private final class Finished: Sendable {
    let spans = Mutex<[FinishedSpan]>([])
}

extension SpanID {
    fileprivate static var one: SpanID {
        guard let one = SpanID(1) else { preconditionFailure("1 is not 0") }
        return one
    }
}
