import HTTPTypes
import Hummingbird
import Preview

/// The login of the preview with the API token.
struct PreviewLogin: Sendable {
    let page: PreviewPage
    /// The sessions, or `nil` if no token is configured.
    let session: PreviewSession?

    func isIn(_ request: Request) -> Bool { session?.isHeld(by: request) ?? true }

    var form: Response { PreviewHeaders.html(page.login(isWrong: false), PreviewHeaders.page, status: .unauthorized) }

    /// Takes the token and answers with the session's cookie.
    func begin(_ request: Request) async throws -> Response {
        let token = try await PreviewForm(request)["token"] ?? ""
        guard let session else { return .redirect(to: "/preview", type: .normal) }
        guard session.isToken(token) else {
            return PreviewHeaders.html(page.login(isWrong: true), PreviewHeaders.page, status: .unauthorized)
        }
        var response = Response.redirect(to: "/preview", type: .normal)
        // A proxy in front of attachd may use TLS.
        let isSecure = request.headers[.named("X-Forwarded-Proto")] == "https"
        response.setCookie(
            Cookie(
                name: PreviewSession.cookieName,
                value: session.begin(),
                maxAge: Int(PreviewSession.lifetime.components.seconds),
                path: "/",
                secure: isSecure,
                httpOnly: true,
                sameSite: .strict,
            )
        )
        return response
    }
}
