import Digests
package import Timing

/// Signs what is posted to others, so that they know who it is from and when it was sent.
package struct MessageSigner: Sendable {
    private let keyring: Replaceable<SigningKeys>

    /// Signs with whatever the keys are at the time.
    package init(keys: Replaceable<SigningKeys>) { keyring = keys }

    package init(keys: SigningKeys) { keyring = Replaceable(keys) }

    /// `t=SECONDS,v1=SIGNATURE`: HMAC-SHA256 in hexadecimal of the seconds since 1970, a full stop and the body, with the
    /// first line of the key file as the key. An old `t` is somebody's repetition.
    package func signature(of body: [UInt8], at time: UnixTime = .now) -> String {
        let seconds = String(time.seconds)
        let signature = KeyedHash.whole(Array("\(seconds).".utf8) + body, key: keyring.current.current)
        return "t=\(seconds),v1=\(Hexadecimal.text(signature))"
    }
}
