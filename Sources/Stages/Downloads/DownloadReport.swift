package import Media

/// What came of a download. The bytes themselves are in the media file.
package struct DownloadReport: Sendable, Equatable {
    /// The URL that was asked last, after redirects; as given, if it could not be parsed. It may carry secrets.
    package var url: String
    /// The last answer's HTTP status; `nil` when there was none.
    package var status: Int?
    /// The media type that the origin declared, such as `image/jpeg`. A claim, never a fact.
    package var contentType: String?
    /// Bytes of all bodies as they came over the network, before any content encoding was undone.
    package var fetchedByteCount = 0
    /// How many requests were made, redirects included.
    package var requestCount = 0
    /// Whether the origin said that the source is the version that is known: no byte of it was fetched.
    package var isUnchanged = false
    /// Why the media file was cut; `nil` when it is whole.
    package var failure: AttachmentFailure?
}
