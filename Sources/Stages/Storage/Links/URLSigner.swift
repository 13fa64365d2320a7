import Digests
package import Values

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
