import Values

extension LintRule {
    /// The rules for the formats of the files, by what the payload says of them.
    static let formatRules = [extensionMissing, typeMismatch, formatUnsupported]

    private static let extensionMissing = LintRule(forEach: .extensionMissing) { attachment, _ in
        guard attachment.platform == .apple, attachment.url.scheme != "data", attachment.mediaExtension == nil,
            attachment.declared.allSatisfy({ $0.kind == nil }), attachment.request.options.typeHint == nil
        else { return nil }
        return LintFinding(
            .extensionMissing,
            .warning,
            at: attachment.pointer,
            "Neither the URL's extension nor a field tells the type. The system decides by the extension what a file is.",
            advice:
                "End the path in the extension, such as .jpg, or fill the field for the type if the dialect has one.",
            source: LintSource.missingExtension,
        )
    }

    private static let typeMismatch = LintRule(forEach: .typeMismatch) { attachment, _ in
        guard let name = attachment.mediaExtension, let kind = FormatSupport.kind(of: name) else { return nil }
        for type in attachment.declared {
            let isOther = type.filenameExtension.map { FormatSupport.canonical($0) != FormatSupport.canonical(name) }
            guard let declared = type.kind, declared != kind || (isOther == true && !type.isImplied) else { continue }
            return LintFinding(
                .typeMismatch,
                declared == kind ? .warning : .error,
                at: type.pointer,
                "The type is \"\(type.text.onOneLine(limit: 60))\", but the URL ends in .\(name). The system believes the type.",
                advice: "Make both say what the file is.",
                source: LintSource.attachment,
            )
        }
        return nil
    }

    private static let formatUnsupported = LintRule(forEach: .formatUnsupported) { attachment, _ in
        let declared = attachment.declared.first { !$0.isImplied && $0.filenameExtension != nil }?.filenameExtension
        guard let name = declared ?? attachment.mediaExtension,
            let support = FormatSupport.support(of: name, on: attachment.platform), support != .shown
        else { return nil }
        let (who, formats, source) = attachment.platform.formats
        return LintFinding(
            .formatUnsupported,
            support == .partly ? .warning : .error,
            at: attachment.pointer,
            support == .partly
                ? "\(who) show .\(name) in some versions only, or without motion." : "\(who) do not show .\(name).",
            advice: "Send \(formats), or let attachd convert the file.",
            source: source,
        )
    }
}

extension LintedAttachment {
    /// The URL's extension, if it is one of media.
    fileprivate var mediaExtension: String? {
        url.filenameExtension.flatMap { FormatSupport.kind(of: $0) == nil ? nil : $0 }
    }
}

extension LintedAttachment.Platform {
    /// The platforms, the formats that each shows, and the page that says so.
    fileprivate var formats: (who: String, formats: String, source: String) {
        switch self {
        case .apple: ("Notifications on Apple's devices", "JPEG, PNG, GIF, MP4, M4A or MP3", LintSource.attachment)
        case .android, .other: ("Notifications on Android", "JPEG or PNG", LintSource.firebaseImage)
        case .web: ("Browsers' notifications", "JPEG, PNG, GIF or WebP", LintSource.webImage)
        }
    }
}
