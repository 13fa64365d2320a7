import Synchronization
package import Tracing

/// A span under way. It is exported when it ends, if its trace is sampled.
package final class RecordedSpan: Span {
    private struct State {
        var name: String
        var record = SpanRecord()
        var hasEnded = false
    }

    package let identity: SpanContext
    private let inherited: ServiceContext
    private let parent: SpanID?
    private let kind: SpanKind
    private let start: UInt64
    private let state: Mutex<State>
    private let onEnd: @Sendable (FinishedSpan) -> Void

    init(
        _ name: String,
        _ identity: SpanContext,
        in context: ServiceContext,
        kind: SpanKind,
        start: UInt64,
        onEnd: @escaping @Sendable (FinishedSpan) -> Void,
    ) {
        self.identity = identity
        parent = context.spanContext?.span
        var inherited = context
        inherited.span = nil
        self.inherited = inherited
        self.kind = kind
        self.start = start
        self.onEnd = onEnd
        state = Mutex(State(name: name))
    }

    /// The context for further spans below this one. The span itself doesn't keep it: it would keep itself alive.
    package var context: ServiceContext {
        var context = inherited
        context.spanContext = identity
        context.span = self
        return context
    }

    package var isRecording: Bool { identity.isSampled && !state.withLock(\.hasEnded) }

    package var operationName: String {
        get { state.withLock(\.name) }
        set { change { $0.name = newValue } }
    }

    package var attributes: SpanAttributes {
        get { state.withLock(\.record.attributes) }
        set { change { $0.record.attributes = newValue } }
    }

    package func setStatus(_ status: SpanStatus) { change { $0.record.set(status) } }

    package func addEvent(_ event: SpanEvent) { change { $0.record.add(event) } }

    package func addLink(_ link: SpanLink) { change { $0.record.add(link) } }

    package func recordError<Instant: TracerInstant>(
        _ error: any Error,
        attributes: SpanAttributes,
        at instant: @autoclosure () -> Instant,
    ) {
        var attributes = attributes
        attributes["exception.type"] = "\(type(of: error))"
        addEvent(SpanEvent(name: "exception", at: instant(), attributes: attributes))
    }

    package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        guard identity.isSampled else { return }
        let end = max(start, instant().nanosecondsSinceEpoch)
        let ended = state.withLock { state -> State? in
            defer { state.hasEnded = true }
            return state.hasEnded ? nil : state
        }
        guard let ended else { return }
        onEnd(
            FinishedSpan(
                name: ended.name,
                context: identity,
                parent: parent,
                kind: kind,
                start: start,
                end: end,
                record: ended.record.limited(),
            )
        )
    }

    private func change(_ change: (inout State) -> Void) {
        guard identity.isSampled else { return }
        state.withLock { if !$0.hasEnded { change(&$0) } }
    }
}
