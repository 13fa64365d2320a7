package import Media

/// A client that posts responses to the operator's webhook. `App` conforms libcurl's downloader to it.
package protocol ResponsePoster: Sendable {
    /// Posts a response and returns the body of the answer.
    func post(_ response: [UInt8]) async throws(AttachmentFailure) -> [UInt8]
}
