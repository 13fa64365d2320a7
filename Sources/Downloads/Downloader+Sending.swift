package import Media

/// What a server answered to a message.
package struct MessageAnswer: Sendable, Equatable {
    package var status: Int
    /// Only of an answer whose status is 200, or to a signed message.
    package var body: [UInt8]
}

extension Downloader {
    /// The most of an answer's body that is read.
    private static let answerByteLimit = 1_000_000

    /// Sends a message, under the same rules as every download: whose addresses may be dialled above all. Redirects are
    /// not followed. Throws why there is no answer.
    ///
    /// It is made at once: whoever sends knows when to send again, and a message that is refused here may be its last.
    package func send(
        _ message: OutgoingMessage,
        to url: String,
        until deadline: Instant,
    ) async throws(AttachmentFailure) -> MessageAnswer {
        let parsed: DownloadURL
        do throws(DownloadURL.Problem) {
            parsed = try DownloadURL(url)
        } catch {
            throw error.failure(redirectedBy: nil)
        }
        let answer = try MediaFile(byteLimit: Self.answerByteLimit)
        // All of it, or the transfer would wait for a reader.
        answer.want(0..<Int.max)
        var request = TransferRequest(url: parsed, askedHost: parsed.host, file: answer)
        request.message = message
        let result = try await loop.run(request, until: deadline)
        guard let status = result.status else { throw result.failure ?? request.cancelled() }
        return MessageAnswer(status: status, body: answer.prefix(Self.answerByteLimit))
    }
}
