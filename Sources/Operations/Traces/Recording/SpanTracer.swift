package import Tracing

/// The tracer behind swift-distributed-tracing: it begins spans, and hands each one that has ended to a receiver.
package final class SpanTracer: Tracer {
    package typealias Span = RecordedSpan

    private let sampler: Sampler
    private let onEnd: @Sendable (FinishedSpan) -> Void

    package init(_ sampler: Sampler = .parent(otherwise: .always), onEnd: @escaping @Sendable (FinishedSpan) -> Void) {
        self.sampler = sampler
        self.onEnd = onEnd
    }

    package func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt,
    ) -> RecordedSpan {
        let context = context()
        let parent = context.spanContext
        let trace = parent?.trace ?? .random
        let identity = SpanContext(
            trace: trace,
            span: .random,
            isSampled: sampler.samples(trace, parent: parent),
            state: parent?.state,
        )
        return RecordedSpan(
            operationName,
            identity,
            in: context,
            kind: kind,
            start: instant().nanosecondsSinceEpoch,
            onEnd: onEnd,
        )
    }

    package func forceFlush() {}

    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout ServiceContext,
        using extractor: Extract,
    ) where Extract.Carrier == Carrier {
        guard let parent = extractor.extract(key: "traceparent", from: carrier) else { return }
        context.spanContext = SpanContext(parent: parent, state: extractor.extract(key: "tracestate", from: carrier))
    }

    package func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext,
        into carrier: inout Carrier,
        using injector: Inject,
    ) where Inject.Carrier == Carrier {
        guard let identity = context.spanContext else { return }
        injector.inject(identity.parent, forKey: "traceparent", into: &carrier)
        if let state = identity.state { injector.inject(state, forKey: "tracestate", into: &carrier) }
    }
}
