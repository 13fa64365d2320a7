import Hummingbird

/// A middleware that holds requests until work may begin. Health checks, metrics and ready files do not wait.
struct StartGate<Context: RequestContext>: RouterMiddleware {
    let whenStarted: @Sendable () async -> Void

    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response,
    ) async throws -> Response {
        let path = request.uri.path
        let isReading = HealthRoutes.isCheck(path[...]) || path == "/metrics" || path.hasPrefix("/v1/attachments/")
        if !isReading { await whenStarted() }
        return try await next(request, context)
    }
}
