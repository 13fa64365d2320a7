import Digests
package import Media
import Values

/// The name of a ready file in its folder and in its URL: 26 characters and the extension of its type.
///
/// The characters are a keyed hash of the content. The same content has one name and one file, however often it is
/// stored. Without the key, a name cannot be computed from a content, nor a content be recognized by its name. The
/// extension is needed because a device determines the type of an attachment by it.
package struct AttachmentIdentifier: Hashable, Sendable, CustomStringConvertible {
    package let description: String
    package let format: MediaFormat

    /// Makes the name of the content whose SHA-256 is `sha256`.
    init(sha256: String, format: MediaFormat, key: Secret<[UInt8]>) {
        let name = Base32.encode(KeyedHash.make("attachd attachment\n\(sha256)", key: key))
        description = "\(name).\(format.filenameExtension)"
        self.format = format
    }

    /// Reads a name from a folder or a URL. Returns `nil` if the text is not exactly a name that attachd makes.
    package init?(_ text: String) {
        // Check the length first, because text from a URL may be long.
        guard text.utf8.count <= Base32.length + 5, let dot = text.firstIndex(of: "."),
            Base32.isOurs(text[..<dot]), let format = Self.formats[String(text[text.index(after: dot)...])]
        else { return nil }
        description = text
        self.format = format
    }

    /// The formats by extension. Each extension belongs to one format, because the device sees only the extension.
    private static let formats = Dictionary(
        MediaFormat.allCases.map { ($0.filenameExtension, $0) },
        uniquingKeysWith: { first, _ in first }
    )
}
