import CCurl
package import Media

// The parser of URLs. It uses libcurl, so that a check and the connection read a URL in the same way.
extension DownloadURL {
    /// Parses the text.
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
        // Folded lines of YAML end in a line feed, and senders copy spaces.
        let text = String(text.trimmed)
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
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        let path = unsafe Self.part(CURLUPART_PATH, of: handle) ?? "/"
        self.init(text: text, scheme: scheme, host: name, port: port, path: path, site: Site(host: name))
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

extension StringProtocol where SubSequence == Substring {
    /// The text without the white space around it.
    package var trimmed: Substring {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
        guard let last = lastIndex(where: { !isSpace($0) }) else { return "" }
        return self[...last].drop(while: isSpace)
    }
}

// MARK: - Paths

/// The path of a URL, and the ways in which servers may read it. They read bytes, and so does this: for Swift a slash with a
/// combining character is another character.
package struct PathText: Equatable {
    private let bytes: [UInt8]

    /// The number of times that a path may be encoded. A path with more layers matches no rule.
    private static let layerLimit = 4
    private static let slash = UInt8(ascii: "/")

    package init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the path of a folder.
    package static func path(of folders: [String]) -> String { folders.reduce("/") { "\($0)\($1)/" } }

    /// The text, in which bytes that are not text are replaced.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The path with its percent-encoded bytes decoded once.
    package var decoded: PathText {
        var decoded: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy({ $0 != UInt8(ascii: "+") }),
                let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                decoded.append(code)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return PathText(bytes: decoded)
    }

    /// A Boolean value that indicates whether the path is text without control characters.
    package var isPlainText: Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && String(validating: bytes, as: UTF8.self) != nil
    }

    /// The names between the slashes, without decoding.
    package var names: [String] { bytes.split(separator: Self.slash).map { String(decoding: $0, as: UTF8.self) } }

    /// The names between the slashes, with `.` and `..` followed and without empty ones.
    package var segments: [String] {
        var segments: [String] = []
        for name in names {
            switch name {
            case ".": continue
            case "..": _ = segments.popLast()
            default: segments.append(name)
            }
        }
        return segments
    }

    /// Returns whether every server reads this as a path below `folders`: it begins with them as it stands and in every
    /// layer of its code, and never leads out of them in between.
    package func isAlwaysBelow(_ folders: [String]) -> Bool {
        guard bytes.starts(with: Self.path(of: folders).utf8) else { return false }
        var layer = self
        for _ in 0..<Self.layerLimit {
            // Some servers read bytes that are not UTF-8 as other characters.
            guard layer.isPlainText, layer.folders(below: folders) != nil else { return false }
            let next = layer.decoded
            guard next != layer else { return true }
            layer = next
        }
        return false
    }

    /// Returns the path's folders, read in the way that leads upwards the most: a backslash is a slash, empty names and
    /// everything after a semicolon do not count. Returns `nil` if they are not below `folders`, at the end or in between.
    package func folders(below folders: [String]) -> [String]? {
        let slashed = bytes.map { $0 == UInt8(ascii: "\\") ? Self.slash : $0 }
        var names: [String] = []
        for segment in slashed.split(separator: Self.slash) {
            let name = String(decoding: segment.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
            switch name {
            case "", ".": continue
            case "..":
                guard names.count > folders.count else { return nil }
                names.removeLast()
            default:
                guard names.count >= folders.count || name.utf8.elementsEqual(folders[names.count].utf8) else {
                    return nil
                }
                names.append(name)
            }
        }
        guard names.count >= folders.count else { return nil }
        return slashed.last == Self.slash ? names : Array(names.dropLast())
    }
}
