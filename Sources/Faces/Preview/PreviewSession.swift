package import Base
import Files
import Media

/// The sessions of browsers that sent the API token once. The cookie's value is derived from the token and expires
/// after some hours.
///
/// The value is `SECONDS.SIGNATURE`, where the signature is an HMAC of the seconds with the token as its key. The
/// cookie does not reveal the token, and a new token ends all sessions.
package struct PreviewSession: Sendable {
    package static let cookieName = "attachd_preview"
    package static let lifetime: Duration = .seconds(12 * 3600)

    private let token: Replaceable<Secret<String>>
    private let now: @Sendable () -> UnixTime

    /// Creates sessions that always use the current token.
    package init(token: Replaceable<Secret<String>>, now: @escaping @Sendable () -> UnixTime = { .now }) {
        self.token = token
        self.now = now
    }

    package func isToken(_ text: String) -> Bool {
        KeyedHash.isEqual(Array(text.utf8), Array(token.current.revealed.utf8))
    }

    /// Returns the value of a new cookie.
    package func begin() -> String { value(until: (now() + Self.lifetime).seconds) }

    package func holds(_ value: String) -> Bool {
        let parts = value.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let end = Int(parts[0]) else { return false }
        let isOurs = KeyedHash.isEqual(Array(value.utf8), Array(self.value(until: end).utf8))
        return isOurs && now().seconds < end
    }

    private func value(until end: Int) -> String {
        let key = Secret(Array(token.current.revealed.utf8))
        return "\(end).\(Base64URL.encode(KeyedHash.make("attachd preview\n\(end)", key: key)))"
    }
}
