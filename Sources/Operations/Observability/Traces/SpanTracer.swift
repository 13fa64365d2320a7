package import Base
import Synchronization

/// The maker of all spans. It passes each finished span to a receiver.
package struct SpanTracer: Sendable {
    private let sampler: Sampler
    private let onEnd: @Sendable (FinishedSpan) -> Void

    package init(_ sampler: Sampler = .parent(otherwise: .always), onEnd: @escaping @Sendable (FinishedSpan) -> Void) {
        self.sampler = sampler
        self.onEnd = onEnd
    }

    /// Begins a span below `parent`; a new trace if that is `nil`.
    package func span(
        _ name: String,
        _ kind: SpanKind = .internal,
        below parent: SpanContext?,
        from start: UnixTime = .now,
        _ attributes: SpanAttributes = [:],
    ) -> RecordedSpan {
        let trace = parent?.trace ?? .random
        let isSampled = sampler.samples(trace, parent: parent)
        let context = SpanContext(trace: trace, span: .random, isSampled: isSampled, state: parent?.state)
        return RecordedSpan(name, context, below: parent?.span, kind, from: start, attributes, onEnd: onEnd)
    }
}

// MARK: - Sampling

/// The rule that decides which traces are recorded (OpenTelemetry SDK, "Built-in samplers").
package enum Sampler: Sendable, Equatable {
    case always
    case never
    /// This share of all traces, from 0 to 1. All processes with the same share choose the same traces.
    case share(Double)
    /// The caller's decision, or `otherwise` for traces that begin here.
    indirect case parent(otherwise: Sampler)

    package func samples(_ trace: TraceID, parent: SpanContext?) -> Bool {
        switch self {
        case .always: true
        case .never: false
        // The lowest 7 bytes are random (W3C Trace Context, section 3.2.2.3.1).
        case .share(let share): Double(trace.low & 0xFF_FFFF_FFFF_FFFF) < share * Double(1 << 56)
        case .parent(let root): parent?.isSampled ?? root.samples(trace, parent: nil)
        }
    }
}

// MARK: - Spans in progress

/// A span in progress. It is exported when it ends, if its trace is sampled.
package final class RecordedSpan: ActivitySpan {
    private struct State {
        var name: String
        var record = SpanRecord()
        var hasEnded = false
    }

    package let context: SpanContext
    private let parent: SpanID?
    private let kind: SpanKind
    private let start: UnixTime
    private let state: Mutex<State>
    private let onEnd: @Sendable (FinishedSpan) -> Void

    fileprivate init(
        _ name: String,
        _ context: SpanContext,
        below parent: SpanID?,
        _ kind: SpanKind,
        from start: UnixTime,
        _ attributes: SpanAttributes,
        onEnd: @escaping @Sendable (FinishedSpan) -> Void,
    ) {
        self.context = context
        self.parent = parent
        self.kind = kind
        self.start = start
        self.onEnd = onEnd
        state = Mutex(State(name: name))
        if context.isSampled { state.withLock { $0.record.attributes = attributes } }
    }

    /// The span of the current task's activity; `nil` if traces are off.
    package static var current: RecordedSpan? { Activity.current?.span as? RecordedSpan }

    package var trace: TraceContext { context.fields }

    package var isRecording: Bool { context.isSampled && !state.withLock(\.hasEnded) }

    package var age: Duration { UnixTime.now - start }

    package func rename(_ name: String) { change { $0.name = name } }

    package func add(_ attributes: SpanAttributes) {
        change { $0.record.attributes.merge(attributes) { $1 } }
    }

    package func add(event name: String, _ attributes: SpanAttributes = [:]) {
        change { $0.record.add(.init(name: name, time: .now, attributes: attributes)) }
    }

    package func add(link context: SpanContext, _ attributes: SpanAttributes = [:]) {
        change { $0.record.add(.init(context: context, attributes: attributes)) }
    }

    /// Marks the span as failed. `type` is one of few values; `message` never quotes a URL.
    package func fail(_ type: String, _ message: String) {
        change {
            $0.record.attributes["error.type"] = .text(type)
            $0.record.fail(message)
        }
    }

    /// Marks the span as failed, for a reason that its attributes have.
    package func fail() { change { $0.record.fail(nil) } }

    package func end() { end(at: .now) }

    package func end(at end: UnixTime) {
        guard context.isSampled else { return }
        let ended = state.withLock { state -> State? in
            defer { state.hasEnded = true }
            return state.hasEnded ? nil : state
        }
        guard let ended else { return }
        onEnd(
            FinishedSpan(
                name: ended.name,
                context: context,
                parent: parent,
                kind: kind,
                start: start,
                end: max(start, end),
                record: ended.record.limited(),
            )
        )
    }

    private func change(_ change: (inout State) -> Void) {
        guard context.isSampled else { return }
        state.withLock { if !$0.hasEnded { change(&$0) } }
    }
}
