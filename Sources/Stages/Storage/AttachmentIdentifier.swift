import Digests
package import Media
import Values

/// The name of a ready file, in its folder and in its URL: 26 characters of our own, and the extension of its type.
///
/// The characters are a keyed hash of the content. So the same content has one name and is one file, however often it
/// is stored; and nobody without the key can tell the name of a content, or whether a content was ever sent. The
/// extension is there because a device decides by it what an attachment is.
package struct AttachmentIdentifier: Hashable, Sendable, CustomStringConvertible {
    package let description: String
    package let format: MediaFormat

    /// The name of the content whose SHA-256 is `sha256`.
    init(sha256: String, format: MediaFormat, key: Secret<[UInt8]>) {
        let name = Base32.encode(KeyedHash.make("attachd attachment\n\(sha256)", key: key))
        description = "\(name).\(format.filenameExtension)"
        self.format = format
    }

    /// Reads a name as it stands in a folder or in a URL; `nil` for all that isn't exactly one of ours.
    package init?(_ text: String) {
        // The length first: what comes from a URL may be long.
        guard text.utf8.count <= Base32.length + 5, let dot = text.firstIndex(of: "."),
            Base32.isOurs(text[..<dot]), let format = Self.formats[String(text[text.index(after: dot)...])]
        else { return nil }
        description = text
        self.format = format
    }

    /// Two formats with one extension would have to be one on the device as well.
    private static let formats = Dictionary(
        MediaFormat.allCases.map { ($0.filenameExtension, $0) },
        uniquingKeysWith: { first, _ in first }
    )
}
