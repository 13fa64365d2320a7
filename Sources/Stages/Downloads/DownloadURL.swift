import CCurl
import Media

/// A URL that may be asked for: http or https, with a host, without credentials. Parsed by libcurl, so that what was
/// checked is what will be dialled.
struct DownloadURL: Sendable, Equatable {
    /// Longer URLs are refused; a push payload has no room for them either.
    static let byteLimit = 4096

    /// Normalised: spaces and non-ASCII characters percent-encoded, odd notations of IPv4 addresses in decimal.
    let text: String
    let scheme: String
    /// Without the brackets of an IPv6 address.
    let host: String
    let port: Int
    /// Whether its path ends like the name of a video or sound. A hint, no more.
    let namesClip: Bool

    /// Why text is no URL to fetch. Says what is wrong and never what it says: a URL may carry secrets.
    struct Problem: Error, Equatable {
        var reason: AttachmentFailure.Reason
        /// What a message says after "cannot be used: ".
        var text: String

        static func invalid(_ text: String) -> Problem { Problem(reason: .invalidURL, text: text) }

        /// `host` is the one that was asked for, if it was asked and answered with this URL.
        func failure(redirectedBy host: String?) -> AttachmentFailure {
            let subject = host.map { "\($0) redirects to a URL that" } ?? "The attachment's URL"
            return AttachmentFailure(.download, reason, "\(subject) cannot be used: \(text).")
        }
    }

    init(_ text: String) throws(Problem) {
        try self.init(text, relativeTo: nil)
    }

    /// The URL that a `Location` header of this one's answer names.
    func resolving(_ location: String) throws(Problem) -> DownloadURL {
        let target = try DownloadURL(location, relativeTo: text)
        guard scheme == target.scheme || target.scheme == "https" else {
            throw Problem(reason: .refusedScheme, text: "it goes from https back to http")
        }
        return target
    }

    private init(_ text: String, relativeTo base: String?) throws(Problem) {
        guard text.utf8.count <= Self.byteLimit else {
            throw .invalid("it is longer than \(Self.byteLimit) bytes")
        }
        // C would take what is before it for all of it.
        guard !text.utf8.contains(0) else { throw .invalid("it holds a NUL") }
        guard let handle = unsafe curl_url() else {
            throw Problem(reason: .resourceLimit, text: "there is no memory to parse it")
        }
        defer { unsafe curl_url_cleanup(handle) }

        if let base { unsafe curl_url_set(handle, CURLUPART_URL, base, 0) }
        // Other schemes are let in to be told apart from text that is no URL at all.
        let flags = CURLU_NON_SUPPORT_SCHEME | CURLU_DISALLOW_USER | CURLU_URLENCODE | CURLU_ALLOW_SPACE
        switch unsafe curl_url_set(handle, CURLUPART_URL, text, UInt32(flags)) {
        case CURLUE_OK: break
        case CURLUE_USER_NOT_ALLOWED: throw .invalid("it carries a user name or password")
        case CURLUE_BAD_SCHEME: throw .invalid("it does not begin with https:// or http://")
        case CURLUE_NO_HOST: throw .invalid("it has no host")
        default: throw .invalid("it is malformed")
        }
        // A host with percent-encoded digits is seen to be an address only now, as it is when it is dialled.
        guard let decoded = unsafe Self.part(CURLUPART_URL, of: handle),
            unsafe curl_url_set(handle, CURLUPART_URL, decoded, UInt32(flags)) == CURLUE_OK
        else { throw .invalid("it is malformed") }

        let scheme = unsafe Self.part(CURLUPART_SCHEME, of: handle) ?? ""
        guard scheme == "https" || scheme == "http" else {
            throw Problem(reason: .refusedScheme, text: "only https and http are fetched")
        }
        guard unsafe Self.part(CURLUPART_ZONEID, of: handle) == nil else { throw .invalid("its address has a zone") }
        guard let host = unsafe Self.part(CURLUPART_HOST, of: handle), !host.isEmpty,
            let port = unsafe Self.part(CURLUPART_PORT, of: handle, CURLU_DEFAULT_PORT).flatMap(Int.init),
            let text = unsafe Self.part(CURLUPART_URL, of: handle)
        else { throw .invalid("it has no host") }
        self.scheme = scheme
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        self.port = port
        self.text = text
        namesClip = unsafe Self.part(CURLUPART_PATH, of: handle).map(Self.isNameOfClip) ?? false
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
