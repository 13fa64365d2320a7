package import Media
package import Processing
package import Timing
package import Tracing

/// A conversion step that makes a span for each conversion, with an event for each output.
package struct TracedConversions: AttachmentConverting {
    private let base: any AttachmentConverting
    private let tracer: any Tracer
    private let time: any TimeSource

    package init(_ base: any AttachmentConverting, _ tracer: any Tracer, time: any TimeSource = SystemTime()) {
        self.base = base
        self.tracer = tracer
        self.time = time
    }

    package func refusal(of format: MediaFormat) -> AttachmentFailure? { base.refusal(of: format) }

    package func convert(_ job: ConversionJob) async throws(AttachmentFailure) -> Duration {
        let start = time.now
        return try await tracer.traced("decode", .internal, ["attachd.format": "\(job.request.format)"]) {
            span throws(AttachmentFailure) in
            var traced = job
            traced.onEvent = { event in
                switch event {
                case .decoding(let instant):
                    span.attributes["attachd.waited_ms"] = (instant - start).milliseconds
                    span.addEvent(SpanEvent(name: "decoder started"))
                case .output(let rung): span.add(rung.report)
                default: break
                }
                job.onEvent(event)
            }
            do throws(AttachmentFailure) {
                let worked = try await base.convert(traced)
                span.attributes["attachd.worked_ms"] = worked.milliseconds
                return worked
            } catch {
                if error.reason != .cancelled { span.fail(error.reason.rawValue, error.message) }
                throw error
            }
        }
    }
}

extension Tracing.Span {
    fileprivate func add(_ report: RungReport) {
        var event = SpanEvent(name: "output", attributes: ["attachd.rung": "\(report.rung.rawValue)"])
        event.attributes["attachd.bytes"] = report.byteCount
        addEvent(event)
        attributes["attachd.rung"] = report.rung.rawValue
    }
}
