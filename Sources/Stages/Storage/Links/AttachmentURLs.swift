/// The URLs of the ready files that the sidecar serves.
package struct AttachmentURLs: Sendable {
    /// The base URL of the sidecar for clients, without a trailing slash. Empty for clients that use relative URLs on
    /// its pages.
    private let publicURL: String
    private let signer: URLSigner

    package init(publicURL: String, signer: URLSigner) {
        self.publicURL = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
        self.signer = signer
    }

    package func url(of identifier: AttachmentIdentifier, expires: Int) -> String {
        let signature = signer.signature(of: identifier, expires: expires)
        return "\(publicURL)/v1/attachments/\(identifier)?expires=\(expires)&signature=\(signature)"
    }

    /// Returns a URL that works only while the named hold lasts.
    package func url(of identifier: AttachmentIdentifier, expires: Int, hold: String) -> String {
        let signature = signer.signature(of: identifier, expires: expires, hold: hold)
        return "\(publicURL)/v1/attachments/\(identifier)?expires=\(expires)&lease=\(hold)&signature=\(signature)"
    }

    /// Returns the URL in a form that is 36 characters shorter, for a payload that would exceed its size limit.
    package func shortURL(of identifier: AttachmentIdentifier, expires: Int) -> String {
        "\(publicURL)/a/\(identifier)?\(ShortToken(expires: expires, signer.signature(of: identifier, expires: expires)))"
    }
}
