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

    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response,
    ) async throws -> Response {
        let response = try await next(request, context)
        let method = request.method.rawValue
        observe(AnsweredRequest(method: method, route: context.endpointPath, status: response.status.code))
        return response
    }
}
