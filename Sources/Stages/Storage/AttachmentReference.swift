/// What a person names to have it taken back: a ready file, by its name or its URL, or a source, by its URL.
package struct AttachmentReference: Sendable, Equatable {
    package var file: AttachmentIdentifier?
    package var source: String?

    /// `nil` if the text is neither a name of ours nor a URL.
    package init?(_ text: String) {
        if let file = AttachmentIdentifier(text) {
            self.file = file
            return
        }
        guard text.contains("://"), text.utf8.count <= 8192 else { return nil }
        source = text
        // A link of ours may be a source, too.
        let path = text.prefix { $0 != "?" && $0 != "#" }
        file = path.split(separator: "/").last.flatMap { AttachmentIdentifier(String($0)) }
    }

    package init(file: AttachmentIdentifier) { self.file = file }
}
