import Glibc
import HTTPClient
import Media

/// The cookies that origins set during one download. They go back to the host that set them, during that download alone
/// (SECURITY N22): some sites redirect to the same page until their cookie comes back.
struct CookieJar {
    fileprivate struct Cookie {
        var name: String
        var value: String
        var host: String
        var path: String
        var isSecure: Bool

        var byteCount: Int { name.utf8.count + value.utf8.count }
    }

    static let countLimit = 16
    static let byteLimit = 4096

    private var cookies: [Cookie] = []

    /// Takes the cookies of an answer from `url`. `fields` are the values of its `Set-Cookie` fields.
    mutating func store(_ fields: [String], from url: DownloadURL) {
        for field in fields { store(field, from: url) }
    }

    /// The value of the `Cookie` field for a request to `url`, or `nil` if no cookie belongs there.
    func field(for url: DownloadURL) -> String? {
        let sent = cookies.filter { cookie in
            cookie.host == url.host && (!cookie.isSecure || url.scheme == "https") && cookie.isBelow(url.path)
        }
        return sent.isEmpty ? nil : sent.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }

    /// Reads one field as browsers do (RFC 6265, section 5.2), and drops a cookie that is not for this host alone, has run
    /// out, or is too much.
    private mutating func store(_ field: String, from url: DownloadURL) {
        let parts = field.split(separator: ";", omittingEmptySubsequences: false).map(Self.pair)
        guard let first = parts.first, let value = first.value, !first.name.isEmpty,
            field.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { return }
        let directory = url.path.lastIndex(of: "/").map { url.path[..<$0] } ?? ""
        var cookie = Cookie(name: first.name, value: value, host: url.host, path: String(directory), isSecure: false)
        var isOver = false
        var hasAge = false
        for (name, value) in parts.dropFirst() {
            switch name.lowercased() {
            case "secure": cookie.isSecure = true
            case "path": if let value, value.hasPrefix("/") { cookie.path = value }
            case "max-age":
                guard let age = value.flatMap({ Int($0) }) else { continue }
                (isOver, hasAge) = (age <= 0, true)
            case "expires":
                guard !hasAge, let end = value.flatMap(HeaderDate.seconds) else { continue }
                isOver = end <= time(nil)
            case "domain":
                let domain = (value ?? "").lowercased().drop { $0 == "." }
                guard domain.isEmpty || url.host == domain || url.host.hasSuffix(".\(domain)") else { return }
            default: break
            }
        }
        guard !cookie.isSecure || url.scheme == "https" else { return }
        cookies.removeAll { $0.name == cookie.name && $0.host == cookie.host && $0.path == cookie.path }
        let byteCount = cookies.reduce(cookie.byteCount) { $0 + $1.byteCount }
        guard !isOver, cookies.count < Self.countLimit, byteCount <= Self.byteLimit else { return }
        cookies.append(cookie)
    }

    private static func pair(_ text: Substring) -> (name: String, value: String?) {
        let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            .map { String($0.trimmed) }
        return (sides[0], sides.count > 1 ? sides[1] : nil)
    }
}

extension CookieJar.Cookie {
    /// Returns whether a request with this path has the cookie's path at its beginning (RFC 6265, section 5.1.4).
    fileprivate func isBelow(_ requested: String) -> Bool {
        guard requested.hasPrefix(path) else { return false }
        return path.isEmpty || path.hasSuffix("/") || requested.count == path.count
            || requested.dropFirst(path.count).hasPrefix("/")
    }
}
