package import Base
import HTTPTypes
import Hummingbird

/// An event of the HTTP server.
package enum SidecarEvent: Sendable, Equatable {
    /// The server accepts connections at this port.
    case listening(port: Int)
    /// The server of metrics accepts connections at this port.
    case metricsListening(port: Int)
    /// A request that gives attachd work began or ended.
    case work(Activity, RequestEvent)
    /// A request was answered.
    case answered(AnsweredRequest)
    /// A job was refused because the queue is full.
    case jobRefused
}

/// An event of a request that gives attachd work.
package enum RequestEvent: Sendable, Equatable {
    /// The request begins. `caller` has the trace that it belongs to, if the client named one.
    case begins(caller: TraceContext?)
    case answered(AnsweredRequest)
}

/// The properties by which an answered request is counted.
package struct AnsweredRequest: Sendable, Hashable {
    package var method: String
    /// The route with the names of its parameters, or `nil` if no route matched.
    package var route: String?
    package var status: Int
}

extension AnsweredRequest {
    /// The methods that are counted separately. All others share one label, because clients can invent any number of
    /// methods.
    private static let methods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .delete, .options, .patch]

    fileprivate init(_ request: Request, _ route: String?, _ response: Response) {
        let method = Self.methods.contains(request.method) ? request.method.rawValue : "other"
        self.init(method: method, route: route, status: response.status.code)
    }
}

// MARK: - Middleware

/// The rest of a request's way: the middlewares behind one, and the route.
typealias NextHandler<Context> = @concurrent (Request, Context) async throws -> Response

/// A middleware that reports every answer.
struct AnswerCount<Context: RequestContext>: RouterMiddleware {
    let recorder: any EventRecorder<SidecarEvent>

    func handle(_ request: Request, context: Context, next: NextHandler<Context>) async throws -> Response {
        let response = try await next(request, context)
        recorder.record(.answered(AnsweredRequest(request, context.endpointPath, response)))
        return response
    }
}

/// A middleware that makes an activity of each request that gives attachd work. It continues the caller's trace
/// (W3C Trace Context), and a job takes the activity's along.
struct RequestActivities<Context: RequestContext>: RouterMiddleware {
    let recorder: any EventRecorder<SidecarEvent>

    func handle(_ request: Request, context: Context, next: NextHandler<Context>) async throws -> Response {
        guard request.method == .post, request.uri.path.hasPrefix("/v1/") else {
            return try await next(request, context)
        }
        return try await recorder.record({ .work($0, .begins(caller: request.caller)) }) { activity in
            let response = try await next(request, context)
            recorder.record(.work(activity, .answered(AnsweredRequest(request, context.endpointPath, response))))
            return response
        }
    }
}

extension Request {
    /// The trace that the request belongs to: its activity's, or without traces the caller's.
    var trace: TraceContext? { Activity.current?.span?.trace ?? caller }

    /// The W3C Trace Context that the client sent, if any.
    fileprivate var caller: TraceContext? {
        headers[.traceparent].map { TraceContext(parent: $0, state: headers[.tracestate]) }
    }
}

extension HTTPField.Name {
    fileprivate static let traceparent = named("traceparent")
    fileprivate static let tracestate = named("tracestate")
}
