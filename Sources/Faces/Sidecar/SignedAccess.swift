import Storage
import Timing

/// What a URL says of itself: until when it holds, and that we said so.
struct SignedAccess: Equatable {
    var expires: Int
    /// The lease without which it doesn't hold.
    var lease: String?
    var signature: String

    /// `expires=…&signature=…` and perhaps `lease=…`, in any order, once each; other parameters have no meaning here.
    init?(query: String) {
        var values: [Substring: Substring] = [:]
        for parameter in query.split(separator: "&") {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, values.updateValue(parts[1], forKey: parts[0]) == nil else { return nil }
        }
        guard let text = values["expires"], let expires = Int(text), String(expires) == text,
            let signature = values["signature"]
        else { return nil }
        (self.expires, self.signature) = (expires, String(signature))
        lease = values["lease"].map(String.init)
    }

    /// The whole query of a short URL.
    init?(shortQuery: String) {
        guard let token = ShortToken(shortQuery) else { return nil }
        (expires, signature) = (token.expires, token.signature)
    }

    /// Whether the file may be fetched now. The signature is checked first, and always.
    func grants(_ identifier: AttachmentIdentifier, by signer: URLSigner, at now: UnixTime) -> Bool {
        let isOurs = signer.verify(signature, of: identifier, expires: expires, lease: lease)
        return isOurs && now.seconds < expires
    }
}
