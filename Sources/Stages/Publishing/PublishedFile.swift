package import Media

/// A file to put into a bucket.
package struct PublishedFile: Sendable {
    /// Its name below the bucket's prefix: letters, digits, dots and hyphens. The same name has the same content.
    package var name: String
    package var format: MediaFormat
    package var file: OutputFile
    package var byteCount: Int
    /// Of its bytes, in lowercase hexadecimal.
    package var sha256: String

    package init(name: String, format: MediaFormat, file: OutputFile, byteCount: Int, sha256: String) {
        self.name = name
        self.format = format
        self.file = file
        self.byteCount = byteCount
        self.sha256 = sha256
    }
}
