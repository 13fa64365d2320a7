/// The input formats and codecs that are switched off: no source of such a format reaches a decoder, and no decoder of
/// such a codec is opened.
///
/// A name that is both a format and a codec, such as `mp3`, stands for both.
package struct DisabledFormats: Sendable, Hashable {
    package private(set) var formats: Set<MediaFormat> = []
    package private(set) var codecs: Set<MediaCodec> = []

    /// All names, formats before codecs.
    package static let allNames =
        MediaFormat.allCases.map(\.rawValue)
        + MediaCodec.allCases.map(\.rawValue).filter { MediaFormat(rawValue: $0) == nil }

    package init() {}

    package init(formats: Set<MediaFormat>, codecs: Set<MediaCodec>) {
        self.formats = formats
        self.codecs = codecs
    }

    /// Creates the set with these names and returns the names that are neither a format nor a codec.
    package static func reading(_ names: some Sequence<String>) -> (disabled: DisabledFormats, unknown: [String]) {
        var disabled = DisabledFormats()
        let unknown = names.filter { name in
            let format = MediaFormat.allCases.first { $0.rawValue.lowercased() == name.lowercased() }
            let codec = MediaCodec(rawValue: name.lowercased())
            if let format { disabled.formats.insert(format) }
            if let codec { disabled.codecs.insert(codec) }
            return format == nil && codec == nil
        }
        return (disabled, unknown)
    }

    /// The names, in the order of `allNames`.
    package var names: [String] {
        let names = Set(formats.map(\.rawValue)).union(codecs.map(\.rawValue))
        return Self.allNames.filter(names.contains)
    }

    package var isEmpty: Bool { formats.isEmpty && codecs.isEmpty }

    /// Returns whether every source of this format is refused.
    package func refuses(_ format: MediaFormat) -> Bool {
        formats.contains(format) || format.ownCodec.map(codecs.contains) == true
    }

    package func refuses(_ codec: MediaCodec) -> Bool { codecs.contains(codec) }

    /// Returns whether a source of this format may be refused, for itself or for a part of it.
    package func mayConcern(_ format: MediaFormat) -> Bool {
        if refuses(format) { return true }
        guard format.kind == .image else { return !codecs.isEmpty }
        // The thumbnail in EXIF data is a JPEG, and the data in a TIFF may be one or a WebP.
        if formats.contains(.jpeg) || format == .tiff && formats.contains(.webp) { return true }
        return [.heic, .avif].contains(format) && !codecs.isDisjoint(with: [.hevc, .av1])
    }

    package func union(_ other: DisabledFormats) -> DisabledFormats {
        DisabledFormats(formats: formats.union(other.formats), codecs: codecs.union(other.codecs))
    }

    package func subtracting(_ other: DisabledFormats) -> DisabledFormats {
        DisabledFormats(formats: formats.subtracting(other.formats), codecs: codecs.subtracting(other.codecs))
    }
}
