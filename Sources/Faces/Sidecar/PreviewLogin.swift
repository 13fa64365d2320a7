import HTTPTypes
import Hummingbird
import Preview

/// Shows who is to see the preview: whoever gives the API token once.
struct PreviewLogin: Sendable {
    let page: PreviewPage
    /// `nil` where no token is asked for.
    let session: PreviewSession?

    func isIn(_ request: Request) -> Bool { session?.isHeld(by: request) ?? true }

    var form: Response { PreviewHeaders.html(page.login(isWrong: false), PreviewHeaders.page, status: .unauthorized) }

    /// Takes the token, and gives the cookie.
    func begin(_ request: Request) async throws -> Response {
        let token = try await PreviewForm(request)["token"] ?? ""
        guard let session else { return .redirect(to: "/preview", type: .normal) }
        guard session.isToken(token) else {
            return PreviewHeaders.html(page.login(isWrong: true), PreviewHeaders.page, status: .unauthorized)
        }
        var response = Response.redirect(to: "/preview", type: .normal)
        // A proxy before us may speak TLS.
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
