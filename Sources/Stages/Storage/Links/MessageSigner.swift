import Digests
package import Timing
package import Values

/// A signer of outgoing posts. The receiver can verify their sender and their time.
package struct MessageSigner: Sendable {
    private let keyring: Replaceable<SigningKeys>

    /// Creates a signer that always uses the current keys.
    package init(keys: Replaceable<SigningKeys>) { keyring = keys }

    package init(keys: SigningKeys) { keyring = Replaceable(keys) }

    /// Returns `t=SECONDS,v1=SIGNATURE`. The signature is the HMAC-SHA256 in hexadecimal of the seconds since 1970, a
    /// full stop and the body, with the first line of the key file as the key. A receiver should reject an old `t` as a
    /// replay.
    package func signature(of body: [UInt8], at time: UnixTime = .now) -> String {
        let seconds = String(time.seconds)
        let signature = KeyedHash.whole(Array("\(seconds).".utf8) + body, key: keyring.current.current)
        return "t=\(seconds),v1=\(Hexadecimal.text(signature))"
    }
}
