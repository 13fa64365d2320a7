import HTTPTypes
import Hummingbird
import NIOCore
import Payloads

/// An error as HTTP clients get it: `application/problem+json` (RFC 9457).
struct Problem: Error, HTTPResponseError, Equatable {
    var status: HTTPResponse.Status
    /// What went wrong, and what to do.
    var detail: String
    /// Seconds after which it makes sense to try again.
    var retryAfter: Int?
    /// Of which size a range was asked for in vain.
    var contentRange: String?

    init(_ status: HTTPResponse.Status, _ detail: String, retryAfter: Int? = nil) {
        self.status = status
        self.detail = detail
        self.retryAfter = retryAfter
    }

    func response(from request: Request, context: some RequestContext) -> Response {
        let body = JSONValue.object([
            .init("type", "about:blank"),
            .init("title", .string(status.reasonPhrase)),
            .init("status", .integer(status.code)),
            .init("detail", .string(detail)),
        ])
        var headers: HTTPFields = [.contentType: "application/problem+json"]
        if let retryAfter { headers[.retryAfter] = String(retryAfter) }
        if let contentRange { headers[.contentRange] = contentRange }
        if status == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
        let bytes = ByteBuffer(bytes: body.compactBytes)
        let response = Response(status: status, headers: headers, body: .init(byteBuffer: bytes))
        return request.method == .head ? response.createHeadResponse() : response
    }
}
