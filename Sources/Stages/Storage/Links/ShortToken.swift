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
