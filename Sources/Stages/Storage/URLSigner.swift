package import Base
import Files

/// A signer of the URLs of ready files, so that only clients that received a URL can fetch its file.
///
/// A signature is valid for one file, until a given second, for `GET` and `HEAD`. It does not cover a range: a phone
/// that resumes a download asks for ranges that cannot be known in advance.
package struct URLSigner: Sendable {
    private let keyring: Replaceable<SigningKeys>

    /// Creates a signer that always uses the current keys.
    package init(keys: Replaceable<SigningKeys>) { keyring = keys }

    package init(keys: SigningKeys) { keyring = Replaceable(keys) }

    /// Returns a signature of 22 characters for `identifier` until `expires`, and while the named `hold` lasts if it is not
    /// `nil`.
    func signature(of identifier: AttachmentIdentifier, expires: Int, hold: String? = nil) -> String {
        signature(of: identifier, expires: expires, hold, key: keyring.current.current)
    }

    /// Returns whether `signature` is valid. The comparison takes constant time.
    ///
    /// Compares the text, not the bytes, because base 64 has several texts for the same bytes.
    package func verify(
        _ signature: String,
        of identifier: AttachmentIdentifier,
        expires: Int,
        hold: String? = nil,
    ) -> Bool {
        let given = Array(signature.utf8)
        return keyring.current.all.reduce(false) { isRight, key in
            let right = self.signature(of: identifier, expires: expires, hold, key: key)
            return KeyedHash.isEqual(given, Array(right.utf8)) || isRight
        }
    }

    private func signature(
        of identifier: AttachmentIdentifier,
        expires: Int,
        _ hold: String?,
        key: Secret<[UInt8]>,
    ) -> String {
        let condition = hold.map { "\n\($0)" } ?? ""
        return Base64URL.encode(KeyedHash.make("attachd url\n\(identifier)\n\(expires)\(condition)", key: key))
    }
}

// MARK: - Short URLs

/// The expiry and the signature of a short URL as one text: the seconds in base 36, which take six characters until
/// 2038 and seven afterwards, and then the 22 characters of the signature.
package struct ShortToken: Sendable, Equatable, CustomStringConvertible {
    package var expires: Int
    package var signature: String

    init(expires: Int, _ signature: String) {
        self.expires = expires
        self.signature = signature
    }

    /// Reads a token. Returns `nil` if the text is not in this form.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard (23...30).contains(bytes.count), let expires = Int(text.dropLast(22), radix: 36), expires >= 0 else {
            return nil
        }
        self.init(expires: expires, String(text.suffix(22)))
        guard description == text else { return nil }
    }

    package var description: String { String(expires, radix: 36) + signature }
}

// MARK: - URLs

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
