import HTTPTypes
import Hummingbird

/// A request that was answered, as it is counted.
package struct AnsweredRequest: Sendable, Hashable {
    package var method: String
    /// As the router has it, with its parameters' names; `nil` where there is nothing.
    package var route: String?
    package var status: Int
}

/// Reports every answer, whatever came of the request.
struct AnswerCount<Context: RequestContext>: RouterMiddleware {
    let observe: @Sendable (AnsweredRequest) -> Void

    /// Every other one is counted as one: a client may make up any number of them, and each would be kept for good.
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
