import Values

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
            "The text is not an absolute URL, so there is nothing to download.",
            advice: "Write the whole URL, from https:// on.",
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
            "The URL has a space or another character that a URL cannot have. iOS before 17 reads no URL from it.",
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
            "Extensions and browsers download by https. Few or none know \(scheme):.",
            advice: "Give an HTTPS URL of the file.",
            source: attachment.platform == .android ? LintSource.firebaseImage : LintSource.modifyingContent,
        )
    }

    private static let fileURL = LintRule(forEach: .fileURL) { attachment, _ in
        guard attachment.url.scheme == "file", !attachment.mayBeLocal else { return nil }
        return LintFinding(
            .fileURL,
            .error,
            at: attachment.pointer,
            "A file: URL names a file of the sender's machine. No phone has it.",
            advice: "Give an HTTPS URL. attachd does with --public-url or --publish.",
            source: LintSource.modifyingContent,
        )
    }

    private static let insecureURL = LintRule(forEach: .insecureURL) { attachment, _ in
        guard attachment.url.scheme == "http", !attachment.url.isLocal else { return nil }
        let (severity, meaning, source): (LintFinding.Severity, String, String) =
            switch attachment.platform {
            case .apple:
                (
                    .error, "App Transport Security lets apps and their extensions download by HTTPS only.",
                    LintSource.transportSecurity
                )
            case .android, .other:
                (.warning, "Apps for Android 9 and later refuse clear text by default.", LintSource.androidCleartext)
            case .web: (.warning, "Browsers block or upgrade HTTP in a page of HTTPS.", LintSource.mixedContent)
            }
        return LintFinding(
            .insecureURL,
            severity,
            at: attachment.pointer,
            "The URL is not HTTPS. \(meaning)",
            advice: "Serve the file by HTTPS. What attachd has processed comes from its own --public-url.",
            source: source,
        )
    }

    private static let addressUnreachable = LintRule(forEach: .addressUnreachable) { attachment, _ in
        guard ["http", "https"].contains(attachment.url.scheme ?? ""), attachment.url.isLocal else { return nil }
        return LintFinding(
            .addressUnreachable,
            .warning,
            at: attachment.pointer,
            "The host \(attachment.url.host.onOneLine(limit: 60)) is the phone itself, or a machine that it reaches only in the same network.",
            advice: "Give a URL that every phone reaches, unless all are in this network.",
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
            "The URL's signature expired \(LintText.duration(subject.now - expiry.time)) ago; its host refuses it.",
            advice: "Sign the URL when the notification is sent, for longer than pushes wait for a phone.",
            source: expiry.source,
        )
    }
}
