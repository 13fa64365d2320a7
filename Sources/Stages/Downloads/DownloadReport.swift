package import Media

/// The result of a download. The bytes themselves are in the media file.
package struct DownloadReport: Sendable, Equatable {
    /// The URL that was asked last, after redirects; as given, if it could not be parsed. It may contain secrets.
    package var url: String
    /// The last answer's HTTP status, or `nil` without an answer.
    package var status: Int?
    /// The media type that the origin declared, such as `image/jpeg`. It is a claim, never a fact.
    package var contentType: String?
    /// The bytes of all bodies as they came over the network, before any content encoding was undone.
    package var fetchedByteCount = 0
    /// The number of requests, including redirects.
    package var requestCount = 0
    /// A Boolean value that indicates whether the origin confirmed that the source is the known version. Then no byte
    /// of it was fetched.
    package var isUnchanged = false
    /// The reason why the media file was cut, or `nil` if it is whole.
    package var failure: AttachmentFailure?
}
