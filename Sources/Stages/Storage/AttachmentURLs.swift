/// The addresses under which the sidecar's ready files are fetched.
package struct AttachmentURLs: Sendable {
    /// Where clients reach the sidecar, without a slash at the end; empty for those that are on one of its pages.
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

    /// A URL that is answered only while the lease holds, whose name it has.
    package func url(of identifier: AttachmentIdentifier, expires: Int, lease: String) -> String {
        let signature = signer.signature(of: identifier, expires: expires, lease: lease)
        return "\(publicURL)/v1/attachments/\(identifier)?expires=\(expires)&lease=\(lease)&signature=\(signature)"
    }

    /// The same in 36 characters less: for a payload that would pass its limit.
    package func shortURL(of identifier: AttachmentIdentifier, expires: Int) -> String {
        "\(publicURL)/a/\(identifier)?\(ShortToken(expires: expires, signer.signature(of: identifier, expires: expires)))"
    }
}
