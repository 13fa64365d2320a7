import Events
package import Publishing
import Timing
package import Tracing

/// An instrument that makes a span for each file published, after it is done.
package struct PublishTraces: Events.Instrument {
    private let tracer: any Tracer

    package init(_ tracer: any Tracer) { self.tracer = tracer }

    package func record(_ event: PublishEvent) {
        guard case .published(let byteCount, let took) = event else { return }
        let end = DefaultTracerClock.now
        let span = tracer.startSpan("publish", ofKind: .client, at: end.before(took))
        span.attributes["attachd.bytes"] = byteCount
        span.end(at: end)
    }
}
