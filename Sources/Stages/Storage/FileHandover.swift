/// The way in which the server in front of attachd sends ready files. attachd checks the link and answers with the file's
/// name in a header field. The server then reads the file itself, with its ranges and conditions.
package enum FileHandover: Sendable, Equatable {
    /// nginx: `X-Accel-Redirect`, with a location below this prefix.
    case nginx(prefix: String)
    /// Apache, Caddy, Lighttpd: `X-Sendfile`, with the file's path.
    case sendfile

    /// Parses `nginx:/PREFIX` or `sendfile`. Returns `nil` if the text is neither.
    package init?(_ text: String) {
        if text == "sendfile" {
            self = .sendfile
            return
        }
        let prefix = text.hasPrefix("nginx:/") ? text.dropFirst("nginx:".count) : ""
        let path = prefix.hasSuffix("/") ? prefix.dropLast() : prefix
        let isPlain = path.utf8.allSatisfy { (0x21..<0x7F).contains($0) && !"?#%".utf8.contains($0) }
        guard path.count > 1, isPlain, !path.split(separator: "/").contains("..") else { return nil }
        self = .nginx(prefix: String(path))
    }

    /// Returns the header field that names a file of the store.
    package func field(for identifier: AttachmentIdentifier, in store: AttachmentStore) -> (name: String, value: String)
    {
        switch self {
        case .nginx(let prefix): ("X-Accel-Redirect", "\(prefix)/\(identifier)")
        case .sendfile: ("X-Sendfile", store.path(of: identifier))
        }
    }
}
