package import Tracing

/// A span that has ended, ready to be exported.
package struct FinishedSpan: Sendable {
    package var name: String
    package var context: SpanContext
    package var parent: SpanID?
    package var kind: SpanKind
    /// Nanoseconds since 1970.
    package var start: UInt64
    package var end: UInt64
    package var record: SpanRecord

    package init(
        name: String,
        context: SpanContext,
        parent: SpanID?,
        kind: SpanKind,
        start: UInt64,
        end: UInt64,
        record: SpanRecord,
    ) {
        self.name = name
        self.context = context
        self.parent = parent
        self.kind = kind
        self.start = start
        self.end = end
        self.record = record
    }
}
