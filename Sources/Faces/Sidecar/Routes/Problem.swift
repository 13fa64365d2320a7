import HTTPTypes
import Hummingbird
import NIOCore
import Payloads

/// An error answer to an HTTP client: `application/problem+json` (RFC 9457).
struct Problem: Error, HTTPResponseError, Equatable {
    var status: HTTPResponse.Status
    /// A description of the error and of what to do.
    var detail: String
    /// The number of seconds after which the client may try again.
    var retryAfter: Int?
    /// The value of `Content-Range` for a range that cannot be satisfied.
    var contentRange: String?
    /// The value of `Allow`: the methods of a path.
    var allowed: String?
    /// A Boolean value that indicates whether the connection must be closed after the answer.
    var endsConnection = false

    init(_ status: HTTPResponse.Status, _ detail: String, retryAfter: Int? = nil) {
        self.status = status
        self.detail = detail
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

    var body: [UInt8] {
        JSONValue.object([
            .init("type", "about:blank"),
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
