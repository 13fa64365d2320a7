import Base
import Media

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
            "The URL has no file extension, and no field contains the type. The system derives the type from the extension.",
            advice:
                "End the path with the extension, such as .jpg, or set the field for the type if the dialect has one.",
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
                "The type is \"\(type.text.onOneLine(limit: 60))\", but the URL ends in .\(name). The system uses the type.",
                advice: "Correct the one that does not match the file.",
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

// MARK: - Formats of the platforms

/// The formats that each platform shows, by file extension.
enum FormatSupport: Sendable {
    case shown
    /// Shown by some versions or devices, or only in part.
    case partly
    case notShown

    /// Returns the support of files with that extension, or `nil` if it is not an extension of media.
    static func support(of name: String, on platform: LintedAttachment.Platform) -> FormatSupport? {
        guard kind(of: name) != nil else { return nil }
        switch platform {
        case .apple: return apple.contains(name) ? .shown : .notShown
        case .android: return android.contains(name) ? .shown : androidInPart.contains(name) ? .partly : .notShown
        case .web: return web.contains(name) ? .shown : name == "svg" ? .partly : .notShown
        case .other: return .shown
        }
    }

    /// Returns the kind of media in files with that extension, or `nil` if it is not an extension of media.
    static func kind(of name: String) -> MediaFormat.Kind? {
        if images.contains(name) { return .image }
        if videos.contains(name) { return .video }
        return sounds.contains(name) ? .audio : nil
    }

    /// Returns one name for extensions that mean the same.
    static func canonical(_ name: String) -> String {
        switch name {
        case "jpeg", "jpe", "jfif": "jpg"
        case "heif": "heic"
        case "tiff": "tif"
        case "mpeg", "m2v": "mpg"
        case "mpg4": "mp4"
        case "qt": "mov"
        case "aiff", "aifc": "aif"
        case "wave": "wav"
        case "oga", "opus": "ogg"
        default: name
        }
    }

    /// The extensions of the types in Apple's table 1.
    private static let apple: Set = [
        "jpg", "jpeg", "jpe", "jfif", "png", "gif", "aif", "aiff", "aifc", "wav", "wave", "mp3", "m4a", "mpg", "mpeg",
        "m2v", "mp4", "mpg4", "avi",
    ]
    /// "JPEG, PNG, BMP have full support across platforms. Animated GIF and video only work on iOS. WebP and HEIF have
    /// varying levels of support" (Firebase, `Notification.image`).
    private static let android: Set = ["jpg", "jpeg", "jpe", "jfif", "png", "bmp"]
    private static let androidInPart: Set = ["webp", "heic", "heif", "gif"]
    private static let web: Set = [
        "jpg", "jpeg", "jpe", "jfif", "png", "gif", "webp", "avif", "ico", "bmp",
    ]

    private static let images: Set = [
        "jpg", "jpeg", "jpe", "jfif", "png", "gif", "webp", "heic", "heif", "avif", "tif", "tiff", "svg", "bmp", "ico",
        "jxl",
    ]
    private static let videos: Set = [
        "mp4", "mpg4", "m4v", "mov", "qt", "3gp", "webm", "mkv", "avi", "mpg", "mpeg", "m2v", "ts", "wmv", "flv",
    ]
    private static let sounds: Set = [
        "mp3", "m4a", "aac", "wav", "wave", "aif", "aiff", "aifc", "flac", "ogg", "oga", "opus", "caf", "amr", "wma",
    ]
}
