import Media

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
        "mp3", "m4a", "aac", "wav", "wave", "aif", "aiff", "aifc", "flac", "ogg", "oga", "opus", "caf", "wma",
    ]
}
