package import Media
package import Processing
package import ServiceExtension
package import Timing
package import Tracing

/// A store that makes a span for each file. What it asks of the bucket is below that.
package struct TracedStore: AttachmentStoring {
    private let base: any AttachmentStoring
    private let tracer: any Tracer

    package init(_ base: any AttachmentStoring, _ tracer: any Tracer) {
        self.base = base
        self.tracer = tracer
    }

    package var cost: Duration { base.cost }
    package var refusal: AttachmentFailure? { base.refusal }

    package func store(_ rung: ReadyRung, of source: String, until deadline: Instant) async throws(AttachmentFailure)
        -> StoredAttachment
    {
        try await tracer.traced("store", .internal, ["attachd.rung": "\(rung.report.rung.rawValue)"]) {
            span throws(AttachmentFailure) in
            span.attributes["attachd.bytes"] = rung.report.byteCount
            do throws(AttachmentFailure) {
                return try await base.store(rung, of: source, until: deadline)
            } catch {
                span.fail(error.reason.rawValue, error.message)
                throw error
            }
        }
    }

    package func end(of stored: StoredAttachment) -> UnixTime? { base.end(of: stored) }

    package func release(_ stored: StoredAttachment) { base.release(stored) }

    package func forget(_ stored: StoredAttachment) async { await base.forget(stored) }

    package func renew(_ stored: StoredAttachment) async -> StoredAttachment? { await base.renew(stored) }
}
