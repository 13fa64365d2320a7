import HTTPTypes
import Hummingbird
import Media
import Preview
import Storage

/// Lets only clients in that know the token (RFC 6750); health checks, metrics and signed URLs need none, and the preview
/// has a guard of its own.
struct BearerToken<Context: RequestContext>: RouterMiddleware {
    let token: Replaceable<Secret<String>>
    /// Browsers that may send what was done with a previewed notification, from the preview's page.
    let session: PreviewSession?
    private static var openPaths: Set<String> { ["/livez", "/readyz", "/metrics"] }

    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response,
    ) async throws -> Response {
        let path = request.uri.path
        let isOpen = Self.openPaths.contains(path) || AttachmentsRoute.isAt(path) || PreviewRoutes.isAt(path)
        guard isOpen || isAuthorized(request) || isPreview(request) else {
            throw Problem(.unauthorized, "Send the API token: \"Authorization: Bearer …\".")
        }
        return try await next(request, context)
    }

    private func isAuthorized(_ request: Request) -> Bool {
        guard let field = request.headers[.authorization], field.lowercased().hasPrefix("bearer ") else { return false }
        return isEqual(Array(field.dropFirst("bearer ".count).utf8), Array(token.current.revealed.utf8))
    }

    private func isPreview(_ request: Request) -> Bool {
        ResponsesRoute.isAt(request.uri.path) && BrowserOrigin(request).isOurs
            && PreviewGuard<Context>.isIn(request, session)
    }

    /// Takes the same time wherever the two differ.
    private func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
