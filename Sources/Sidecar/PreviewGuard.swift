import HTTPTypes
import Hummingbird
import Preview

/// Lets in to the preview who is on a page of ours, and has shown the token where there is one.
struct PreviewGuard<Context: RequestContext>: RouterMiddleware {
    /// `nil` where no token is asked for.
    let session: PreviewSession?

    static var openPaths: Set<String> { ["/preview", "/preview/session"] }

    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response,
    ) async throws -> Response {
        let (path, origin) = (request.uri.path, BrowserOrigin(request))
        guard PreviewRoutes.isAt(path) else {
            let isOurs = origin.isNone || origin.isOurs && (session != nil || origin.isAddress)
            guard isOurs || !ResponsesRoute.isAt(path) else { throw Self.foreign }
            return try await next(request, context)
        }
        guard session != nil || origin.isAddress else {
            let advice =
                "Open the preview at this machine's address, such as http://127.0.0.1:8080/preview, or ask for a token."
            throw Problem(.forbidden, advice)
        }
        guard request.method == .get || request.method == .head || origin.isOurs else { throw Self.foreign }
        let isOpen = Self.openPaths.contains(path) || path.hasPrefix("/preview/assets/")
        guard isOpen || session == nil || Self.isIn(request, session) else {
            throw Problem(.unauthorized, "Open /preview and give the API token there.")
        }
        return try await next(request, context)
    }

    private static var foreign: Problem { Problem(.forbidden, "The request comes from another site.") }

    /// Whether the request has the cookie of a session that holds.
    static func isIn(_ request: Request, _ session: PreviewSession?) -> Bool {
        guard let session, let value = request.cookies[PreviewSession.cookieName]?.value else { return false }
        return session.holds(value)
    }
}
