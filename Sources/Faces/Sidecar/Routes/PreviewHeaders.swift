import HTTPTypes
import Hummingbird
import NIOCore

/// The header fields of answers to browsers. They allow only attachd's own files and scripts, and forbid framing by
/// other sites.
enum PreviewHeaders {
    /// The policy of the page itself.
    static let page = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "media-src 'self'",
        "connect-src 'self'", "frame-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
    ]
    /// The policy of fragments for the page, in case a fragment is opened separately.
    static let fragment = ["default-src 'none'", "sandbox", "frame-ancestors 'none'"]

    /// Returns the policy of a category's layout in its frame. It allows the layout's styles and attachments, but not
    /// scripts. The page can measure the frame.
    static func layout(nonce: String) -> [String] {
        [
            "default-src 'none'", "style-src 'nonce-\(nonce)'", "img-src 'self'", "media-src 'self'",
            "form-action 'none'", "base-uri 'none'", "frame-ancestors 'self'", "sandbox allow-same-origin",
        ]
    }

    static func html(
        _ text: String,
        _ policy: [String],
        status: HTTPResponse.Status = .ok,
    ) -> Response {
        var headers = fields(type: "text/html; charset=utf-8")
        headers[.contentSecurityPolicy] = policy.joined(separator: "; ")
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: text)))
    }

    static func bytes(_ bytes: [UInt8], type: String) -> Response {
        Response(status: .ok, headers: fields(type: type), body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    private static func fields(type: String) -> HTTPFields {
        [
            .contentType: type,
            .cacheControl: "no-store",
            .xContentTypeOptions: "nosniff",
            // The server recognizes its own forms by their origin, which "no-referrer" would omit.
            .named("Referrer-Policy"): "same-origin",
            .named("Cross-Origin-Resource-Policy"): "same-origin",
            .named("Cross-Origin-Opener-Policy"): "same-origin",
        ]
    }
}
