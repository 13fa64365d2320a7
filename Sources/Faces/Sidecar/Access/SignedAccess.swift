import Storage
import Timing

/// The expiry and the signature in a URL's query.
struct SignedAccess: Equatable {
    var expires: Int
    /// The name of the hold that must exist for the URL to be valid, if any.
    var hold: String?
    var signature: String

    /// Reads `expires=…&signature=…` and optionally `lease=…`, once each, in any order. Ignores other parameters.
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
        hold = values["lease"].map(String.init)
    }

    /// Reads the complete query of a short URL.
    init?(shortQuery: String) {
        guard let token = ShortToken(shortQuery) else { return nil }
        (expires, signature) = (token.expires, token.signature)
    }

    /// Returns whether the file may be fetched now. Always checks the signature first.
    func grants(_ identifier: AttachmentIdentifier, by signer: URLSigner, at now: UnixTime) -> Bool {
        let isOurs = signer.verify(signature, of: identifier, expires: expires, hold: hold)
        return isOurs && now.seconds < expires
    }
}
