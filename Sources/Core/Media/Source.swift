import Base

/// A source that was understood when its attachment entered the pipeline. Later steps use this value and never parse the text
/// again.
package struct Source: Sendable {
    /// The URL as the sender gave it. It may contain secrets.
    package let text: String
    /// The target of the download, or the reason why there must not be one; `nil` if no server is involved.
    package let target: Result<SourceTarget, DownloadURL.ParseError>?
    /// The path of a file on this machine, or `nil` for a source of a server.
    package let path: String?
    /// The name under which work, results and records of the source are kept. It need not be a URL that can be fetched.
    package var identity: String

    package init(_ text: String, at target: Result<SourceTarget, DownloadURL.ParseError>? = nil, path: String? = nil) {
        self.text = text
        self.target = target
        self.path = path
        identity = text
    }

    private var known: SourceTarget? { try? target?.get() }
    /// The host as messages, logs and spans show it; `nil` without one.
    package var host: String? { known?.host }
    /// The name of the origin in tables, which separates the sources of different owners: the host, the tenant if the host has
    /// several, and the access. It is never shown.
    package var origin: String { known?.origin.name ?? text }
    /// The key of the access with which the source is downloaded; `nil` for a public source. A source that was downloaded with
    /// access is reused only under the same key. The key is the same in every process with the same rule, and contains no
    /// secret.
    package var accessKey: String? { known?.origin.access }
    /// The operator's rule for the source, or `nil` if no rule matches.
    package var rule: (any OperatorRule)? { known?.rule }
}

/// The target of a download: the server's URL, and everything that is known from it and the operator's rules alone.
package struct SourceTarget: Sendable {
    package let url: DownloadURL
    /// The name of the host in messages: the sender's, which need not be that of the URL.
    package let host: String
    package let origin: Origin
    /// The operator's rule for the source, or `nil` if no rule matches. Its secrets are read for each request: they may be
    /// replaced meanwhile.
    package let rule: (any OperatorRule)?

    package init(url: DownloadURL, host: String, origin: Origin, rule: (any OperatorRule)?) {
        self.url = url
        self.host = host
        self.origin = origin
        self.rule = rule
    }
}

/// An operator's rule about sources, without the access that it gives: only the downloader knows that.
package protocol OperatorRule: Sendable {
    /// The rule's name in the configuration file.
    var name: String { get }
    /// The identity of the access that the rule gives, or `nil` if it gives none.
    var key: String? { get }
}

// MARK: - The URL of a server

/// A URL that may be fetched: http or https, with a host, without credentials. `HTTPClient` parses it with libcurl, so that
/// the checked address is the one that is dialled.
package struct DownloadURL: Sendable, Equatable {
    /// The most bytes of a URL. A push payload has no room for longer ones either.
    package static let byteLimit = 4096

    /// The normalised URL: spaces and non-ASCII characters percent-encoded, odd notations of IPv4 addresses in decimal.
    package let text: String
    package let scheme: String
    /// The host, without the brackets of an IPv6 address.
    package let host: String
    package let port: Int
    /// The path, as it is sent.
    package let path: String
    /// The owner of the host.
    package let site: Site

    /// Creates a URL from the parts that the parser found.
    package init(text: String, scheme: String, host: String, port: Int, path: String, site: Site) {
        self.text = text
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
        self.site = site
    }

    /// Returns whether the URL up to its query matches `pattern`, in which `*` matches any characters.
    package func matches(_ pattern: String) -> Bool {
        Wildcard.matches(text.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }, pattern.utf8)
    }

    /// The reason why a text cannot be fetched as a URL. It never quotes the text: a URL may contain secrets.
    package struct ParseError: Error, Equatable {
        package var reason: AttachmentFailure.Reason
        /// The words after "cannot be used: " in a message.
        package var text: String

        package init(reason: AttachmentFailure.Reason, text: String) {
            self.reason = reason
            self.text = text
        }

        package static func invalid(_ text: String) -> ParseError { ParseError(reason: .invalidURL, text: text) }

        /// Returns the failure. `host` is the host that redirected to this URL, or `nil` if the sender gave the URL.
        package func failure(redirectedBy host: String?) -> AttachmentFailure {
            let subject = host.map { "\($0) redirects to a URL that" } ?? "The attachment's URL"
            return AttachmentFailure(.download, reason, "\(subject) cannot be used: \(text).")
        }
    }

    /// A Boolean value that indicates whether the path ends like the name of a video or sound. It is only a hint.
    package var namesClip: Bool {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return false }
        return Self.clipExtensions.contains(name[name.index(after: dot)...].lowercased())
    }

    private static let clipExtensions: Set<String> = Set(
        MediaFormat.allCases.filter { $0.kind != .image }.map(\.filenameExtension)
    ).union(["3gpp", "aiff", "m2ts", "mpeg", "oga", "ogv", "opus"])
}

// MARK: - The source's facts

/// The facts known about a source from the response and from its header.
package struct SourceFacts: Sendable, Equatable {
    package var format: MediaFormat?
    /// The size of the whole source in bytes, or `nil` if it is not known.
    package var byteCount: Int?
    /// The number of bytes that were fetched for this notification: 0 where another notification's download served this
    /// one too. The sum over all notifications is the number of bytes that origins sent.
    package var fetched = 0
    package var report: SourceReport?

    package init() {}
}
