import Media

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
