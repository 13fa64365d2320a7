import Base

extension LintRule {
    /// The rules for the URLs that a device gets.
    static let urlRules = [
        urlNotAbsolute, urlNotEncoded, schemeUnsupported, fileURL, insecureURL, addressUnreachable, sharePage,
        signatureExpired,
    ]

    private static let urlNotAbsolute = LintRule(forEach: .urlNotAbsolute) { attachment, _ in
        guard attachment.url.scheme == nil, !attachment.mayBeRelative else { return nil }
        return LintFinding(
            .urlNotAbsolute,
            .error,
            at: attachment.pointer,
            "The string is not an absolute URL, so the phone cannot download it.",
            advice: "Write the complete URL, beginning with https://.",
            source: LintSource.attachment,
        )
    }

    private static let urlNotEncoded = LintRule(forEach: .urlNotEncoded) { attachment, _ in
        guard attachment.url.scheme != nil, attachment.url.hasUnencodedCharacters, !attachment.mayBeLocal else {
            return nil
        }
        return LintFinding(
            .urlNotEncoded,
            .warning,
            at: attachment.pointer,
            "The URL has a space or another character that URLs do not allow. iOS versions before 17 do not accept it.",
            advice: "Encode the character: %20 is a space.",
            source: LintSource.urlCharacters,
        )
    }

    private static let schemeUnsupported = LintRule(forEach: .schemeUnsupported) { attachment, _ in
        guard let scheme = attachment.url.scheme, !["http", "https", "file"].contains(scheme),
            !attachment.mayBeLocal, !(attachment.platform == .web && scheme == "data")
        else { return nil }
        return LintFinding(
            .schemeUnsupported,
            .error,
            at: attachment.pointer,
            "Extensions and browsers download over HTTPS. They do not support \(scheme): URLs.",
            advice: "Use an HTTPS URL for the file.",
            source: attachment.platform == .android ? LintSource.firebaseImage : LintSource.modifyingContent,
        )
    }

    private static let fileURL = LintRule(forEach: .fileURL) { attachment, _ in
        guard attachment.url.scheme == "file", !attachment.mayBeLocal else { return nil }
        return LintFinding(
            .fileURL,
            .error,
            at: attachment.pointer,
            "A file: URL names a file on the sender's machine, which no phone can read.",
            advice: "Use an HTTPS URL. attachd writes one with --public-url or --publish.",
            source: LintSource.modifyingContent,
        )
    }

    private static let insecureURL = LintRule(forEach: .insecureURL) { attachment, _ in
        guard attachment.url.scheme == "http", !attachment.url.isLocal else { return nil }
        let (severity, meaning, source): (LintFinding.Severity, String, String) =
            switch attachment.platform {
            case .apple:
                (
                    .error, "App Transport Security allows apps and their extensions to download only over HTTPS.",
                    LintSource.transportSecurity
                )
            case .android, .other:
                (
                    .warning, "Apps for Android 9 and later refuse unencrypted HTTP by default.",
                    LintSource.androidCleartext
                )
            case .web: (.warning, "Browsers block or upgrade HTTP URLs on an HTTPS page.", LintSource.mixedContent)
            }
        return LintFinding(
            .insecureURL,
            severity,
            at: attachment.pointer,
            "The URL is not HTTPS. \(meaning)",
            advice: "Serve the file over HTTPS. Files that attachd processed come from its own --public-url.",
            source: source,
        )
    }

    private static let addressUnreachable = LintRule(forEach: .addressUnreachable) { attachment, _ in
        guard ["http", "https"].contains(attachment.url.scheme ?? ""), attachment.url.isLocal else { return nil }
        return LintFinding(
            .addressUnreachable,
            .warning,
            at: attachment.pointer,
            "The host \(attachment.url.host.onOneLine(limit: 60)) is the phone itself, or a machine that the phone can reach only in the same network.",
            advice: "Use a URL that every phone can reach, unless all phones are in this network.",
            source: LintSource.localNetworking,
        )
    }

    private static let sharePage = LintRule(forEach: .sharePage) { attachment, _ in
        guard let page = attachment.url.sharePage else { return nil }
        return LintFinding(
            .sharePage,
            .error,
            at: attachment.pointer,
            "The URL is a page of \(page.service) that shows the file, so a phone downloads HTML.",
            advice: page.advice,
            source: page.source,
        )
    }

    private static let signatureExpired = LintRule(forEach: .signatureExpired) { attachment, subject in
        guard let expiry = attachment.url.expiry, expiry.time <= subject.now else { return nil }
        return LintFinding(
            .signatureExpired,
            .error,
            at: attachment.pointer,
            "The URL's signature expired \(LintText.duration(subject.now - expiry.time)) ago, so the host refuses it.",
            advice: "Sign the URL when you send the notification, and for longer than a push may wait for a phone.",
            source: expiry.source,
        )
    }
}
