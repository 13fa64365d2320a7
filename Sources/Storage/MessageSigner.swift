/// Signs what is posted to others, so that they know who it is from and when it was sent.
package struct MessageSigner: Sendable {
    private let keys: SigningKeys

    package init(keys: SigningKeys) { self.keys = keys }

    /// `t=SECONDS,v1=SIGNATURE`: HMAC-SHA256 in hexadecimal of the seconds since 1970, a full stop and the body, with the
    /// first line of the key file as the key. An old `t` is somebody's repetition.
    package func signature(of body: [UInt8], at time: UnixTime = .now) -> String {
        let seconds = String(time.seconds)
        let signature = KeyedHash.whole(Array("\(seconds).".utf8) + body, key: keys.current)
        return "t=\(seconds),v1=\(Hexadecimal.text(signature))"
    }
}
