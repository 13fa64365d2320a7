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

    /// The page that the URL is of, or `nil` if it is not known to be one.
    var sharePage: SharePage? {
        switch host {
        case "drive.google.com" where path.hasPrefix("/file/") || path == "/open",
            "docs.google.com" where path.hasPrefix("/file/"):
            SharePage(
                service: "Google Drive",
                advice:
                    "Write https://drive.google.com/uc?export=download&id=ID, or put the file on a server of your own.",
                source: LintSource.driveLinks,
            )
        case "dropbox.com", "www.dropbox.com":
            ["/s/", "/scl/", "/sh/"].contains(where: path.hasPrefix) && parameter("raw") != "1"
                && parameter("dl") != "1"
                ? SharePage(
                    service: "Dropbox",
                    advice: "End the link in raw=1 in place of dl=0.",
                    source: LintSource.dropboxLinks,
                ) : nil
        default: nil
        }
    }
}
