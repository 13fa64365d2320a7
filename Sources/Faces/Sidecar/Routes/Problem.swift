import HTTPTypes
import Hummingbird
import Jobs
import Logging
import NIOCore
import Payloads
import Processing

/// An error answer to an HTTP client: `application/problem+json` (RFC 9457).
struct Problem: Error, HTTPResponseError, Equatable {
    var status: HTTPResponse.Status
    /// A description of the error and of what to do.
    var detail: String
    /// A name by which programs tell problems apart, also those with the same status.
    var code: String
    /// The number of seconds after which the client may try again.
    var retryAfter: Int?
    /// The value of `Content-Range` for a range that cannot be satisfied.
    var contentRange: String?
    /// The value of `Allow`: the methods of a path.
    var allowed: String?
    /// A Boolean value that indicates whether the connection must be closed after the answer.
    var endsConnection = false

    /// Creates a problem. Without `code`, its code is that of the status, such as `notFound`.
    init(_ status: HTTPResponse.Status, _ detail: String, code: String? = nil, retryAfter: Int? = nil) {
        self.status = status
        self.detail = detail
        let words = status.reasonPhrase.split(separator: " ")
        self.code = code ?? words[0].lowercased() + words.dropFirst().joined()
        self.retryAfter = retryAfter
    }

    init(notAllowed method: HTTPRequest.Method, at path: String, allowed: String) {
        self.init(.methodNotAllowed, "\(method) is not possible at \(path). Use one of: \(allowed).")
        self.allowed = allowed
    }

    /// The answer to a malformed request (RFC 9112).
    static let unreadable: Problem = {
        var problem = Problem(.badRequest, "The request is not valid HTTP/1.1. The connection is closed.")
        problem.endsConnection = true
        return problem
    }()

    /// The page that explains the statuses and codes, relative to the project.
    static let page = "docs/http-api.md#statuses"

    var body: [UInt8] {
        JSONValue.object([
            .init("type", .string(Self.page)),
            .init("code", .string(code)),
            .init("title", .string(status.reasonPhrase)),
            .init("status", .integer(status.code)),
            .init("detail", .string(detail)),
        ])
        .compactBytes
    }

    var headers: HTTPFields {
        var headers: HTTPFields = [.contentType: "application/problem+json"]
        if let retryAfter { headers[.retryAfter] = String(retryAfter) }
        if let contentRange { headers[.contentRange] = contentRange }
        if let allowed { headers[.allow] = allowed }
        if status == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
        if endsConnection { headers[.connection] = "close" }
        return headers
    }

    func response(from request: Request, context: some RequestContext) -> Response {
        let response = Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: body)))
        return request.method == .head ? response.createHeadResponse() : response
    }
}

// MARK: - From errors

/// A middleware that turns every error into a problem, so that clients never see a bare status or a library's text.
struct Problems<Context: RequestContext>: RouterMiddleware {
    func handle(_ request: Request, context: Context, next: NextHandler<Context>) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            return problem(of: error, request, context).response(from: request, context: context)
        }
    }

    private func problem(of error: any Error, _ request: Request, _ context: Context) -> Problem {
        switch error {
        case let problem as Problem: return problem
        case let error as RequestError: return Problem(error)
        case let error as JobQueueError: return Problem(error)
        case let error as UnreadableRequestError: return Problem(error)
        // The client has disconnected, so the answer does not matter.
        case is IOError, is ChannelError: return .unreadable
        case let error as any HTTPResponseError: return problem(for: error.status, request)
        default:
            context.logger.error("A request failed.", metadata: ["error": "\(error)", "path": "\(request.uri.path)"])
            return Problem(.internalServerError, "attachd failed. See its log for the reason.")
        }
    }

    private func problem(for status: HTTPResponse.Status, _ request: Request) -> Problem {
        switch status {
        case .notFound: Problem(status, "There is nothing at \(request.uri.path). GET /openapi.json lists the routes.")
        case .contentTooLarge: Problem(status, "The body is over 64 KiB; a push payload is 4 kB at most.")
        default: Problem(status, "The request is not valid.")
        }
    }
}

// MARK: - Other methods

extension Router {
    /// Answers the methods that no route has at a path that others have: `OPTIONS` with the allowed ones, the rest with 405
    /// (RFC 9110, sections 9.3.7 and 15.5.6). Call this after all routes are added.
    func addOtherMethods() {
        let known: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options, .trace, .query]
        for (path, routes) in Dictionary(grouping: routes, by: { "\($0.path)" }) {
            var own = Set(routes.map(\.method))
            // The router makes each of these from its GET.
            if own.contains(.get) { own.insert(.head) }
            let allowed = known.filter { own.contains($0) || $0 == .options }.map(\.rawValue).joined(separator: ", ")
            for method in known where !own.contains(method) {
                on(RouterPath(path), method: method) { request, _ in
                    guard request.method == .options else {
                        throw Problem(notAllowed: request.method, at: request.uri.path, allowed: allowed)
                    }
                    return Response(status: .noContent, headers: [.allow: allowed])
                }
            }
        }
    }
}

extension HTTPRequest.Method {
    /// A request for a query whose description is its body (the HTTP QUERY method of the HTTP working group).
    fileprivate static let query: Self = {
        guard let method = Self(rawValue: "QUERY") else { preconditionFailure("QUERY is not a method") }
        return method
    }()
}
