package import Media

/// Posts responses to the operator's webhook. `App` conforms libcurl's downloader to it.
package protocol ResponsePoster: Sendable {
    /// Gives the body of the answer.
    func post(_ response: [UInt8]) async throws(AttachmentFailure) -> [UInt8]
}
