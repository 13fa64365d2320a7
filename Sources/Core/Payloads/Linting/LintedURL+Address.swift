import Base

// MARK: - Addresses

extension LintedURL {
    /// A Boolean value that indicates whether the host names the phone itself, or a machine that only a phone in the same
    /// network reaches (RFC 6761, RFC 6762, RFC 1918, RFC 3927, RFC 4193).
    var isLocal: Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host.hasSuffix(".local") { return true }
        if host.contains(":") { return Self.isLocal(address6: host) }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        guard numbers.count == 4, let first = numbers[0], let second = numbers[1], !numbers.contains(nil) else {
            return false
        }
        return switch (first, second) {
        case (0, _), (10, _), (127, _), (169, 254), (192, 168): true
        case (172, 16...31): true
        default: false
        }
    }

    private static func isLocal(address6 host: String) -> Bool {
        host == "::1" || host.hasPrefix("fc") || host.hasPrefix("fd") || host.hasPrefix("fe8") || host.hasPrefix("fe9")
            || host.hasPrefix("fea") || host.hasPrefix("feb")
    }
}

extension LintedURL {
    /// A service's page that shows a shared file, and the way to the file.
    struct SharePage: Sendable, Equatable {
        var service: String
        var advice: String
        var source: String
    }

    /// The known share page to which the URL leads, or `nil`.
    var sharePage: SharePage? {
        switch host {
        case "drive.google.com" where path.hasPrefix("/file/") || path == "/open",
            "docs.google.com" where path.hasPrefix("/file/"):
            SharePage(
                service: "Google Drive",
                advice:
                    "Write https://drive.google.com/uc?export=download&id=ID, or put the file on your own server.",
                source: LintSource.driveLinks,
            )
        case "dropbox.com", "www.dropbox.com":
            ["/s/", "/scl/", "/sh/"].contains(where: path.hasPrefix) && parameter("raw") != "1"
                && parameter("dl") != "1"
                ? SharePage(
                    service: "Dropbox",
                    advice: "Replace dl=0 at the end of the link by raw=1.",
                    source: LintSource.dropboxLinks,
                ) : nil
        default: nil
        }
    }
}

// MARK: - Expiry

extension LintedURL {
    /// The time until which the URL's signature is valid, in seconds since 1970, and the page that says so.
    struct Expiry: Sendable, Equatable {
        var time: Int
        var source: String
    }

    /// The expiry of a signed URL, or `nil` if it is not signed, or in a form that is not known here.
    var expiry: Expiry? {
        if let time = issueExpiry("amz") { return Expiry(time: time, source: LintSource.amazonSignature) }
        if let time = issueExpiry("goog") { return Expiry(time: time, source: LintSource.googleSignature) }
        if parameter("sig") != nil, let text = parameter("se"), let time = Self.time(text) {
            return Expiry(time: time, source: LintSource.azureSignature)
        }
        // Amazon S3 (version 2), CloudFront and Google Cloud Storage (version 2).
        if parameter("signature") != nil, let text = parameter("expires"), let time = Int(text), time > 0 {
            return Expiry(time: time, source: LintSource.signatureWithTime)
        }
        return nil
    }

    /// Returns the time from the parameters `X-VENDOR-Date` and `X-VENDOR-Expires`, a number of seconds.
    private func issueExpiry(_ vendor: String) -> Int? {
        guard let issued = parameter("x-\(vendor)-date").flatMap(Self.time),
            let seconds = parameter("x-\(vendor)-expires").flatMap({ Int($0) }), (0...Self.longest).contains(seconds)
        else { return nil }
        return issued + seconds
    }

    /// A hundred years, so that no sum overflows.
    private static let longest = 3_153_600_000

    /// Returns the seconds since 1970 of a date in UTC, such as `20261122T230000Z`, `2026-11-22T23:00:00Z` or
    /// `2026-11-22` (ISO 8601). `nil` if the text is not one.
    static func time(_ text: String) -> Int? {
        guard text.utf8.count <= 32, text.allSatisfy({ $0.isASCII && ($0.isNumber || "-:.TZ".contains($0)) }) else {
            return nil
        }
        let whole = text.prefix { $0 != "." } + (text.contains(".") && text.hasSuffix("Z") ? "Z" : "")
        // strptime(3) also takes numbers with fewer digits.
        guard [8, 12, 14].contains(whole.count { $0.isNumber }) else { return nil }
        return timeForms.lazy.compactMap { UnixTime(String(whole), as: $0)?.seconds }.first
    }

    private static let timeForms = [
        "%Y%m%dT%H%M%SZ", "%Y-%m-%dT%H:%M:%SZ", "%Y%m%dT%H%MZ", "%Y-%m-%dT%H:%MZ", "%Y%m%d", "%Y-%m-%d",
    ]
}
