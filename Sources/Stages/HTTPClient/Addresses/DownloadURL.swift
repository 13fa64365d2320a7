import CCurl
package import Media

/// A URL that may be fetched: http or https, with a host, without credentials. libcurl parses it, so that the checked
/// address is the one that is dialled.
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
    /// A Boolean value that indicates whether the path ends like the name of a video or sound. It is only a hint.
    package let namesClip: Bool

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

    package init(_ text: String) throws(ParseError) {
        try self.init(text, relativeTo: nil)
    }

    /// Returns the URL that a `Location` header in the answer to this URL names.
    package func resolving(_ location: String) throws(ParseError) -> DownloadURL {
        let target = try DownloadURL(location, relativeTo: text)
        guard scheme == target.scheme || target.scheme == "https" else {
            throw ParseError(reason: .refusedScheme, text: "it goes from https back to http")
        }
        return target
    }

    private init(_ text: String, relativeTo base: String?) throws(ParseError) {
        guard text.utf8.count <= Self.byteLimit else {
            throw .invalid("it is longer than \(Self.byteLimit) bytes")
        }
        // C would read the text up to the NUL as the whole URL.
        guard !text.utf8.contains(0) else { throw .invalid("it holds a NUL") }
        guard let handle = unsafe curl_url() else {
            throw ParseError(reason: .resourceLimit, text: "there is no memory to parse it")
        }
        defer { unsafe curl_url_cleanup(handle) }

        if let base { unsafe curl_url_set(handle, CURLUPART_URL, base, 0) }
        // Other schemes are parsed too, to tell them apart from text that is not a URL at all.
        let flags = CURLU_NON_SUPPORT_SCHEME | CURLU_DISALLOW_USER | CURLU_URLENCODE | CURLU_ALLOW_SPACE
        switch unsafe curl_url_set(handle, CURLUPART_URL, text, UInt32(flags)) {
        case CURLUE_OK: break
        case CURLUE_USER_NOT_ALLOWED: throw .invalid("it carries a user name or password")
        case CURLUE_BAD_SCHEME: throw .invalid("it does not begin with https:// or http://")
        case CURLUE_NO_HOST: throw .invalid("it has no host")
        default: throw .invalid("it is malformed")
        }
        // Only now is a host with percent-encoded digits seen to be an address, as it is when it is dialled.
        guard let decoded = unsafe Self.part(CURLUPART_URL, of: handle),
            unsafe curl_url_set(handle, CURLUPART_URL, decoded, UInt32(flags)) == CURLUE_OK
        else { throw .invalid("it is malformed") }

        let scheme = unsafe Self.part(CURLUPART_SCHEME, of: handle) ?? ""
        guard scheme == "https" || scheme == "http" else {
            throw ParseError(reason: .refusedScheme, text: "only https and http are fetched")
        }
        guard unsafe Self.part(CURLUPART_ZONEID, of: handle) == nil else { throw .invalid("its address has a zone") }
        guard let host = unsafe Self.part(CURLUPART_HOST, of: handle, CURLU_PUNYCODE), !host.isEmpty,
            let port = unsafe Self.part(CURLUPART_PORT, of: handle, CURLU_DEFAULT_PORT).flatMap(Int.init),
            let text = unsafe Self.part(CURLUPART_URL, of: handle)
        else { throw .invalid("it has no host") }
        self.scheme = scheme
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        self.port = port
        self.text = text
        path = unsafe Self.part(CURLUPART_PATH, of: handle) ?? "/"
        namesClip = Self.isNameOfClip(path)
    }

    private static let clipExtensions: Set<String> = Set(
        MediaFormat.allCases.filter { $0.kind != .image }.map(\.filenameExtension)
    ).union(["3gpp", "aiff", "m2ts", "mpeg", "oga", "ogv", "opus"])

    private static func isNameOfClip(_ path: String) -> Bool {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return false }
        return clipExtensions.contains(name[name.index(after: dot)...].lowercased())
    }

    private static func part(_ part: CURLUPart, of handle: OpaquePointer, _ flags: Int32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        defer { unsafe curl_free(text) }
        guard unsafe curl_url_get(handle, part, &text, UInt32(flags)) == CURLUE_OK, let text = unsafe text else {
            return nil
        }
        return unsafe String(cString: text)
    }
}
