import HTTPTypes
import Hummingbird

/// The labels under which an answered request is counted.
package struct AnsweredRequest: Sendable, Hashable {
    package var method: String
    /// The route with the names of its parameters, or `nil` if no route matched.
    package var route: String?
    package var status: Int
}

/// A middleware that reports every answer.
struct AnswerCount<Context: RequestContext>: RouterMiddleware {
    let observe: @Sendable (AnsweredRequest) -> Void

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
        observe(AnsweredRequest(method: method, route: context.endpointPath, status: response.status.code))
        return response
    }
}
