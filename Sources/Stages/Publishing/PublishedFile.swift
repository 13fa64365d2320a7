package import Media

/// A file to publish to a bucket.
package struct PublishedFile: Sendable {
    /// The name below the bucket's prefix: letters, digits, dots and hyphens. Files of the same name have the same
    /// content.
    package var name: String
    package var format: MediaFormat
    package var file: OutputFile
    package var byteCount: Int
    /// The SHA-256 of the file, in lowercase hexadecimal.
    package var sha256: String

    package init(name: String, format: MediaFormat, file: OutputFile, byteCount: Int, sha256: String) {
        self.name = name
        self.format = format
        self.file = file
        self.byteCount = byteCount
        self.sha256 = sha256
    }
}
