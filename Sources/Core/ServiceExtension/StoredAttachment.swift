/// A file of the store.
package struct StoredAttachment: Sendable, Equatable {
    /// The file's identifier in the store: random, and safe in a path and in a URL.
    package var identifier: String
    package var url: String
    /// Another URL of the file with fewer bytes, if there is one.
    package var shortURL: String?
    package var sha256: String
    /// A Boolean value that indicates whether the URL is for results only: it leads to this machine's disk, and no phone
    /// could fetch it.
    package var isLocal: Bool

    package init(identifier: String, url: String, shortURL: String? = nil, sha256: String, isLocal: Bool = false) {
        self.identifier = identifier
        self.url = url
        self.shortURL = shortURL
        self.sha256 = sha256
        self.isLocal = isLocal
    }
}
