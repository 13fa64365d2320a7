import Base
import Files
import HTTPTypes
import Hummingbird
import Media
import Preview

/// The middleware that decides for all routes who may send which request.
///
/// If a token is configured, clients send it (RFC 6750), or a browser sends the cookie of a preview session. Without a
/// token, another site could point its own name at this server (DNS rebinding). So requests must then name the server
/// by its address or as `localhost`, and must not come from another site's page. Reading a ready file needs its
/// signature instead, because phones reach it through proxies that keep their own `Host`. Routes that are not named
/// here are guarded.
struct AccessGuard<Context: RequestContext>: RouterMiddleware {
    /// The required token, or `nil` if none is configured.
    let token: Replaceable<Secret<String>>?
    /// The preview sessions, or `nil` if no token is configured.
    let session: PreviewSession?

    init(token: Replaceable<Secret<String>>?) {
        self.token = token
        session = token.map { PreviewSession(token: $0) }
    }

    func handle(_ request: Request, context: Context, next: NextHandler<Context>) async throws -> Response {
        let path = request.uri.path
        let isRead = request.method == .get || request.method == .head
        if !OpenPaths.all.contains(path), !(isRead && AttachmentsRoute.isAt(path)) {
            let origin = BrowserOrigin(request)
            if PreviewRoutes.isAt(path) {
                try checkPreview(request, origin, isRead: isRead)
            } else if let token {
                try checkToken(token.current, request, origin)
            } else {
                try checkAddress(request, origin)
            }
        }
        return try await next(request, context)
    }

    private func checkToken(_ token: Secret<String>, _ request: Request, _ origin: BrowserOrigin) throws(Problem) {
        let isResponse = ResponsesRoute.isAt(request.uri.path)
        guard isAuthorized(request, token) || isResponse && origin.isOurs && isInPreview(request) else {
            throw Problem(.unauthorized, "Send the API token: \"Authorization: Bearer …\".")
        }
        guard origin.isNone || origin.isOurs || !isResponse else { throw Self.foreign }
    }

    private func checkAddress(_ request: Request, _ origin: BrowserOrigin) throws(Problem) {
        guard origin.isAddress else {
            let advice =
                "Without an API token, requests must name this machine by its address or as localhost"
            throw Problem(.forbidden, "\(advice). Or set a token with --api-token-file.")
        }
        guard origin.isNone || origin.isOurs else { throw Self.foreign }
        guard !request.isForwarded || !isForOperators(request) else {
            let message = "Clients of a proxy cannot take attachments back or switch formats off."
            throw Problem(.forbidden, "\(message) Set a token with --api-token-file.")
        }
    }

    /// Returns whether a request changes what others get.
    private func isForOperators(_ request: Request) -> Bool {
        let path = request.uri.path
        return request.method == .delete && AttachmentsRoute.isBelow(path)
            || request.method == .post && FormatsRoute.isAt(path)
    }

    private func checkPreview(_ request: Request, _ origin: BrowserOrigin, isRead: Bool) throws(Problem) {
        let path = request.uri.path
        guard session != nil || origin.isAddress else {
            let advice =
                "Open the preview at this machine's address, such as http://127.0.0.1:8080/preview, or set --api-token-file."
            throw Problem(.forbidden, advice)
        }
        guard isRead || origin.isOurs else { throw Self.foreign }
        let isOpen = OpenPaths.preview.contains(path) || path.hasPrefix("/preview/assets/")
        guard isOpen || session == nil || isInPreview(request) else {
            throw Problem(.unauthorized, "Open /preview and enter the API token.")
        }
    }

    private static var foreign: Problem { Problem(.forbidden, "The request comes from another site.") }

    private func isAuthorized(_ request: Request, _ token: Secret<String>) -> Bool {
        guard let field = request.headers[.authorization], field.lowercased().hasPrefix("bearer ") else { return false }
        return KeyedHash.isEqual(Array(field.dropFirst("bearer ".count).utf8), Array(token.revealed.utf8))
    }

    private func isInPreview(_ request: Request) -> Bool { session?.isHeld(by: request) == true }
}

/// The paths that need no token, and those of the preview.
private enum OpenPaths {
    static let all: Set<String> = ["/livez", "/readyz", "/metrics"]
    static let preview: Set<String> = ["/preview", "/preview/session"]
}

extension PreviewSession {
    /// Returns whether the request has the cookie of a valid session.
    func isHeld(by request: Request) -> Bool {
        request.cookies[PreviewSession.cookieName].map { holds($0.value) } ?? false
    }
}

extension Request {
    /// A Boolean value that indicates whether a proxy has forwarded the request: it has a field that only proxies add.
    fileprivate var isForwarded: Bool {
        headers.contains { field in
            let name = field.name.canonicalName
            return Self.proxyFields.contains(name) || Self.proxyPrefixes.contains { name.hasPrefix($0) }
        }
    }

    private static let proxyFields: Set<String> = ["forwarded", "via", "x-real-ip"]
    private static let proxyPrefixes = ["cf-", "x-envoy-", "x-forwarded-"]
}

// MARK: - The origin of a request

/// The origin of a request: a page of attachd, another site, or not a browser.
struct BrowserOrigin {
    /// The authority to which the request was sent.
    private let host: String
    private let origin: String?

    init(_ request: Request) {
        host = (request.head.authority ?? "").lowercased()
        origin = request.headers[.origin]?.lowercased()
    }

    /// A Boolean value that indicates whether the request names no origin. Browsers name one in every request that
    /// changes something.
    var isNone: Bool { origin == nil }

    /// A Boolean value that indicates whether a page of attachd sent the request.
    var isOurs: Bool { !host.isEmpty && (origin == "http://\(host)" || origin == "https://\(host)") }

    /// A Boolean value that indicates whether the host is an IP address or `localhost`.
    ///
    /// Without a token, another site could point its own name at this server and so pass for attachd (DNS rebinding).
    /// It cannot do so with an address.
    var isAddress: Bool {
        let name = host.hasPrefix("[") ? host[...] : host.prefix { $0 != ":" }
        return name == "localhost" || name.hasPrefix("[")
            || name.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") }
    }
}
