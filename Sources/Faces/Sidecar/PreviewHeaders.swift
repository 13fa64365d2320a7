import HTTPTypes
import Hummingbird
import NIOCore

/// Answers to a browser: nothing but our own files is loaded, nothing runs but our modules, and nobody frames them.
enum PreviewHeaders {
    /// Of the page itself.
    static let page = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "media-src 'self'",
        "connect-src 'self'", "frame-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
    ]
    /// Of what is fetched to be put into it, should anybody open it by itself.
    static let fragment = ["default-src 'none'", "sandbox", "frame-ancestors 'none'"]

    /// Of a category's layout, in its frame: its own styles, attachments, and no script. The page may measure it.
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
            // Forms of ours are recognised by their origin, which "no-referrer" would leave out.
            .named("Referrer-Policy"): "same-origin",
            .named("Cross-Origin-Resource-Policy"): "same-origin",
            .named("Cross-Origin-Opener-Policy"): "same-origin",
        ]
    }
}
