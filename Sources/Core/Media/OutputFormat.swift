/// A format in which attachments are delivered.
///
/// No `switch` over it has a `default:`. The compiler leads from a new case to its encoder, to the reader of its header
/// and to the check of its bounds.
package enum OutputFormat: String, Sendable, Hashable, CaseIterable {
    case jpeg, png, gif, webp
    case mp4, m4a, wav

    /// The same format as that of a source.
    package var media: MediaFormat {
        switch self {
        case .jpeg: .jpeg
        case .png: .png
        case .gif: .gif
        case .webp: .webp
        case .mp4: .mp4
        case .m4a: .m4a
        case .wav: .wav
        }
    }

    /// Returns `nil` if attachments are not delivered in the format.
    package init?(_ format: MediaFormat) {
        guard let found = Self.allCases.first(where: { $0.media == format }) else { return nil }
        self = found
    }

    /// Returns the format of the bytes, or `nil` if attachments are not delivered in it.
    package init?(of bytes: Span<UInt8>) {
        guard let format = MediaSniffer.format(of: bytes) else { return nil }
        self.init(format)
    }

    package var kind: MediaFormat.Kind { media.kind }
    package var typeIdentifier: String { media.typeIdentifier }
    package var mimeType: String { media.mimeType }
    package var filenameExtension: String { media.filenameExtension }
}
