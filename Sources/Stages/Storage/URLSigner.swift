import Digests
import Values

/// Signs the URLs of ready files, so that nobody fetches what wasn't shown to them.
///
/// A signature holds for one file until one second, for `GET` and `HEAD`. It doesn't cover a range: a phone that goes on
/// where it stopped asks for ranges that nobody could know ahead.
package struct URLSigner: Sendable {
    private let keyring: Replaceable<SigningKeys>

    /// Signs with whatever the keys are at the time.
    package init(keys: Replaceable<SigningKeys>) { keyring = keys }

    package init(keys: SigningKeys) { keyring = Replaceable(keys) }

    /// 22 characters for `identifier` until `expires`, and while `lease` holds if there is one.
    func signature(of identifier: AttachmentIdentifier, expires: Int, lease: String? = nil) -> String {
        signature(of: identifier, expires: expires, lease, key: keyring.current.current)
    }

    /// Whether `signature` is one of ours, in a time that doesn't say how much of it is right.
    ///
    /// Its text is compared, not its bytes: base 64 has several texts for the same bytes.
    package func verify(
        _ signature: String,
        of identifier: AttachmentIdentifier,
        expires: Int,
        lease: String? = nil,
    ) -> Bool {
        let given = Array(signature.utf8)
        return keyring.current.all.reduce(false) { isRight, key in
            let right = self.signature(of: identifier, expires: expires, lease, key: key)
            return KeyedHash.isEqual(given, Array(right.utf8)) || isRight
        }
    }

    private func signature(
        of identifier: AttachmentIdentifier,
        expires: Int,
        _ lease: String?,
        key: Secret<[UInt8]>,
    ) -> String {
        let condition = lease.map { "\n\($0)" } ?? ""
        return Base64URL.encode(KeyedHash.make("attachd url\n\(identifier)\n\(expires)\(condition)", key: key))
    }
}
