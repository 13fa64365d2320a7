package import Tracing

/// The values that tasks inherit: the span that is under way, or the caller's.
extension ServiceContext {
    private enum SpanContextKey: ServiceContextKey {
        typealias Value = SpanContext
    }

    private enum SpanKey: ServiceContextKey {
        typealias Value = RecordedSpan
    }

    /// The identity of the span that further spans belong to.
    package var spanContext: SpanContext? {
        get { self[SpanContextKey.self] }
        set { self[SpanContextKey.self] = newValue }
    }

    /// The span under way in this process; `nil` if the span is the caller's.
    package var span: RecordedSpan? {
        get { self[SpanKey.self] }
        set { self[SpanKey.self] = newValue }
    }
}
