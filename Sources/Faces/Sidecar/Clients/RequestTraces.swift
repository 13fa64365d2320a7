import HTTPTypes
import Hummingbird
import Tracing

/// A middleware that makes a span for each request that gives attachd work. It continues the caller's trace
/// (W3C Trace Context), and the request goes on with this span's context, so that a job takes that along.
struct RequestTraces<Context: RequestContext>: RouterMiddleware {
    let tracer: any Tracer

    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response,
    ) async throws -> Response {
        guard request.method == .post, request.uri.path.hasPrefix("/v1/") else {
            return try await next(request, context)
        }
        var caller = ServiceContext.topLevel
        tracer.extract(request.headers, into: &caller, using: HeaderCarrier())
        let span: any Tracing.Span = tracer.startSpan("POST", context: caller, ofKind: .server)
        defer { span.end() }
        var (head, own) = (request.head, HTTPFields())
        tracer.inject(span.context, into: &own, using: HeaderCarrier())
        // The caller's state goes on only with the caller's trace.
        if !own.isEmpty { head.headerFields[.named("tracestate")] = nil }
        for field in own { head.headerFields[field.name] = field.value }
        let traced = Request(head: head, body: request.body)
        let response = try await ServiceContext.$current.withValue(span.context) { try await next(traced, context) }
        name(span, context.endpointPath, response.status)
        return response
    }

    /// Gives the span the names of OpenTelemetry's semantic conventions. The route has the names of its parameters, not
    /// their values.
    private func name(_ span: any Tracing.Span, _ route: String?, _ status: HTTPResponse.Status) {
        span.operationName = "POST \(route ?? "none")"
        span.updateAttributes { attributes in
            attributes["http.request.method"] = "POST"
            attributes["http.route"] = route ?? "none"
            attributes["http.response.status_code"] = status.code
        }
        // An answer of 400 to 499 is not an error of the server's span.
        if status.code >= 500 { span.setStatus(SpanStatus(code: .error)) }
    }
}

private struct HeaderCarrier: Extractor, Injector {
    func extract(key: String, from headers: HTTPFields) -> String? { HTTPField.Name(key).flatMap { headers[$0] } }

    func inject(_ value: String, forKey key: String, into headers: inout HTTPFields) {
        if let name = HTTPField.Name(key) { headers[name] = value }
    }
}
