import Events
import Media
package import Processing
import Synchronization
import Timing
import Traces
import Tracing
import Values

/// An instrument that adds what became of a notification to the span under way, and links those that share work.
package final class ProcessingTraces: Events.Instrument {
    /// The spans that began work, by its number. A table for the work of a few seconds: work that is joined later has
    /// no link.
    private let beginners = Mutex(BoundedTable<Int, SpanContext>(entryLimit: 1024))

    package init() {}

    package func record(_ event: ProcessingEvent) {
        guard let span = ServiceContext.current?.span, span.isRecording else { return }
        switch event {
        case .attachment(.begun(let work)): beginners.withLock { $0.insert(span.identity, for: work) }
        case .attachment(.joined(let work)):
            guard let beginner = beginners.withLock({ $0[work] }) else { return }
            var context = ServiceContext.topLevel
            context.spanContext = beginner
            span.addLink(SpanLink(context: context, attributes: ["attachd.reason": "joined"]))
        case .attachment(.reused): span.addEvent(SpanEvent(name: "taken from the cache"))
        case .attachment(.revalidated): span.addEvent(SpanEvent(name: "source confirmed as unchanged"))
        case .answered(let result): span.add(result)
        }
    }
}

extension RecordedSpan {
    fileprivate func add(_ result: ProcessingResult) {
        var attributes = self.attributes
        attributes["attachd.notification.id"] = result.identifier
        attributes["attachd.outcome"] = result.outcome.rawValue
        attributes["attachd.margin_ms"] = result.margin.milliseconds
        for timing in result.timings { attributes["attachd.\(timing.stage)_ms"] = timing.milliseconds }
        if let failure = result.failures.first { attributes["attachd.reason"] = failure.failure.reason.rawValue }
        self.attributes = attributes
    }
}
