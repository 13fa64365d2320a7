/// A reference to attachments to take back: the name or the URL of a ready file, or the URL of a source.
package struct AttachmentReference: Sendable, Equatable {
    package var file: AttachmentIdentifier?
    package var source: String?

    /// Reads a reference. Returns `nil` if the text is neither the name of a ready file nor a URL.
    package init?(_ text: String) {
        if let file = AttachmentIdentifier(text) {
            self.file = file
            return
        }
        guard text.contains("://"), text.utf8.count <= 8192 else { return nil }
        source = text
        // A URL of a ready file may also be a source.
        let path = text.prefix { $0 != "?" && $0 != "#" }
        file = path.split(separator: "/").last.flatMap { AttachmentIdentifier(String($0)) }
    }

    package init(file: AttachmentIdentifier) { self.file = file }
}
