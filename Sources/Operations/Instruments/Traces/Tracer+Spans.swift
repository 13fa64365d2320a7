import Tracing

extension Tracer {
    /// Calls `body` in a new span, whose context further spans inherit.
    func traced<Result: Sendable, Failure: Error>(
        _ name: String,
        _ kind: SpanKind,
        in context: ServiceContext? = nil,
        _ attributes: SpanAttributes = [:],
        _ body: (any Tracing.Span) async throws(Failure) -> Result,
    ) async throws(Failure) -> Result {
        let span: any Tracing.Span = startSpan(name, context: context ?? .current ?? .topLevel, ofKind: kind)
        span.attributes = attributes
        defer { span.end() }
        let result: Swift.Result<Result, Failure> = await ServiceContext.$current.withValue(span.context) {
            do throws(Failure) {
                return .success(try await body(span))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

extension Tracing.Span {
    /// Marks the span as failed. `type` is one of few values; `message` never quotes a URL.
    func fail(_ type: String, _ message: String) {
        attributes["error.type"] = type
        setStatus(SpanStatus(code: .error, message: message))
    }
}
