import Media

/// An attachment as the rules look at it.
struct LintedAttachment: Sendable {
    /// The platform that shows the attachment. Each platform has its own formats and rules.
    enum Platform: Sendable {
        case apple, android, web, other
    }

    let request: AttachmentRequest
    let url: LintedURL
    let platform: Platform
    /// The types that the payload gives beside the URL, with their locations.
    let declared: [DeclaredType]

    var pointer: JSONPointer { request.pointers.url }

    init(_ request: AttachmentRequest, in payload: JSONValue) {
        self.request = request
        url = LintedURL(request.url)
        platform = Self.platform(of: request)
        declared = request.pointers.companions.compactMap { companion in
            let written = payload.value(at: companion.pointer)?.text
            guard companion.content.isType, let text = written ?? companion.implied, !text.isBlank else { return nil }
            return DeclaredType(text, at: companion.pointer, isImplied: written == nil)
        }
    }

    private static func platform(of request: AttachmentRequest) -> Platform {
        switch request.profile {
        case nil: request.isForOthersOnly ? .other : .apple
        case "apns": .apple
        case "fcm": .android
        case let name?: name.hasPrefix("webpush") ? .web : .other
        }
    }

    /// A Boolean value that indicates whether the URL's text may be a path or name: the app, the browser, or the service
    /// makes it absolute.
    var mayBeRelative: Bool {
        platform == .web || platform == .other || Self.relative.contains(request.dialect)
    }

    /// A Boolean value that indicates whether the attachment is a file of this machine by its dialect.
    var mayBeLocal: Bool { Self.local.contains(request.dialect) }

    private static let local: Set = ["content", "apprise"]
    private static let relative: Set = [
        "content", "apprise", "onesignal", "onesignal-request", "home-assistant", "home-assistant-request",
    ]
}

extension CompanionField.Content {
    /// A Boolean value that indicates whether the field has the type of the file.
    fileprivate var isType: Bool {
        switch self {
        case .typeIdentifier, .mimeType, .filenameExtension, .sameForm, .words: true
        case .filename, .byteCount, .expiry, .identifier: false
        }
    }
}

// MARK: - Types

/// The type of a file, as a field beside its URL says it in any of the usual forms.
struct DeclaredType: Sendable, Equatable {
    let text: String
    let pointer: JSONPointer
    /// A Boolean value that indicates whether the field is missing, and means this.
    let isImplied: Bool
    /// The extension of files of the type, in lower case, or `nil` if the text names a kind of media only, or no type.
    let filenameExtension: String?
    let kind: MediaFormat.Kind?

    init(_ text: String, at pointer: JSONPointer, isImplied: Bool) {
        self.text = text
        self.pointer = pointer
        self.isImplied = isImplied
        let word = text.lowercased()
        let format = MediaFormat(typeIdentifier: word) ?? MediaFormat(mimeType: word)
        let named = format?.filenameExtension ?? Self.names[word] ?? (FormatSupport.kind(of: word) == nil ? nil : word)
        filenameExtension = named
        kind =
            named.flatMap(FormatSupport.kind) ?? MediaFormat.Kind(rawValue: word)
            ?? word.split(separator: "/").first.flatMap { MediaFormat.Kind(rawValue: String($0)) }
    }

    /// Words of services and systems for types that attachd does not read, or that have several names.
    private static let names = [
        "mpeg4": "mp4", "mpeg4audio": "m4a", "mpeg2": "m2v", "waveformaudio": "wav", "image/svg+xml": "svg",
        "image/heif": "heif", "audio/opus": "opus", "image/bmp": "bmp", "public.svg-image": "svg",
        "com.microsoft.bmp": "bmp", "public.heif": "heif", "audio/webm": "webm", "public.mpeg-2-video": "m2v",
    ]
}
