package import Jobs
import Media
package import Timing
import Traces
package import Tracing
package import Worker

/// A job handler that makes a span for each job. It belongs to the producer's trace, and has a link to the producer.
package struct TracedJobs: JobHandler {
    private let base: any JobHandler
    private let tracer: any Tracer

    package init(_ base: any JobHandler, _ tracer: any Tracer) {
        self.base = base
        self.tracer = tracer
    }

    package func answer(_ job: LeasedJob, until deadline: Instant) async -> JobReply {
        let context = job.job.trace?.context ?? .topLevel
        return await tracer.traced("process job", .consumer, in: context, Self.attributes(of: job)) { span in
            span.addProducer(context)
            // The time that the job waited, from the clock of deadlines to the calendar's.
            let now = DefaultTracerClock.now
            let queued = tracer.startSpan(
                "queue",
                context: span.context,
                at: now.before(SystemTime().now - job.enqueued)
            )
            queued.end(at: now)
            let reply = await base.answer(job, until: deadline)
            span.attributes["attachd.status"] = reply.status.rawValue
            return reply
        }
    }

    package func answerWithoutWork(_ job: LeasedJob, _ status: JobReply.Status) -> JobReply {
        let context = job.job.trace?.context ?? .topLevel
        let span = tracer.startSpan("answer job without work", context: context, ofKind: .consumer)
        defer { span.end() }
        span.attributes = Self.attributes(of: job)
        span.attributes["attachd.status"] = status.rawValue
        span.addProducer(context)
        return ServiceContext.$current.withValue(span.context) { base.answerWithoutWork(job, status) }
    }

    /// The attributes of messages in OpenTelemetry's semantic conventions.
    private static func attributes(of job: LeasedJob) -> SpanAttributes {
        [
            "messaging.operation.name": "process", "messaging.destination.name": "jobs",
            "messaging.message.id": "\(job.job.id)", "attachd.priority": "\(job.job.priority)",
        ]
    }
}

extension Tracing.Span {
    fileprivate func addProducer(_ context: ServiceContext) {
        if context.spanContext != nil { addLink(SpanLink(context: context, attributes: [:])) }
    }
}

extension TraceContext {
    fileprivate var context: ServiceContext {
        var context = ServiceContext.topLevel
        context.spanContext = SpanContext(parent: parent, state: state)
        return context
    }
}
