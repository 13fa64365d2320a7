import Events
import HTTPTypes
import Hummingbird

/// A middleware that reports every answer.
struct AnswerCount<Context: RequestContext>: RouterMiddleware {
    let instrument: any Instrument<SidecarEvent>

    /// The methods that are counted separately. All others share one label, because clients can invent any number of
    /// methods.
    private static var methods: Set<HTTPRequest.Method> { [.get, .head, .post, .put, .delete, .options, .patch] }

    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response,
    ) async throws -> Response {
        let response = try await next(request, context)
        let method = Self.methods.contains(request.method) ? request.method.rawValue : "other"
        let answered = AnsweredRequest(method: method, route: context.endpointPath, status: response.status.code)
        instrument.record(.answered(answered))
        return response
    }
}
