package import Media

extension Downloader {
    /// The most of an answer's body that is read.
    private static let answerByteLimit = 65_536

    /// Posts `content`, under the same rules as every download: whose addresses may be dialled above all. Redirects are
    /// not followed.
    ///
    /// - Returns: The status of the answer.
    /// - Throws: Why there is none.
    package func post(
        _ content: PostedContent,
        to url: String,
        until deadline: Instant,
    ) async throws(AttachmentFailure) -> Int {
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
        request.timeLimit = deadline - SystemTime().now
        request.post = content
        let result = await loop.run(request)
        guard let status = result.status else { throw result.failure ?? request.cancelled() }
        return status
    }
}
