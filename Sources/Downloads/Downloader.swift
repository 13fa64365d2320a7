package import Media

/// Downloads sources over HTTP into media files, all on one thread of its own.
package final class Downloader: Sendable {
    private let settings: DownloadSettings
    private let loop: TransferLoop

    /// Throws when the process has no memory or thread left.
    package init(settings: DownloadSettings) throws(AttachmentFailure) {
        self.settings = settings
        loop = try TransferLoop(settings: settings)
    }

    deinit { loop.stop() }

    /// Writes the body into `file` while it arrives, and ends the file: whole, or cut with the failure that the report
    /// has too. Returns within `timeLimit`, at once if the task is cancelled.
    package func download(_ url: String, into file: MediaFile, timeLimit: Duration) async -> DownloadReport {
        let report = await follow(url, into: file, deadline: SystemTime().now + timeLimit)
        file.end(report.failure.map(MediaFile.Ending.cut) ?? .whole)
        return report
    }

    /// Cancels the downloads that are under way and refuses later ones.
    package func stop() { loop.stop() }

    /// Asks for the URL, and for those that redirects lead to.
    private func follow(_ text: String, into file: MediaFile, deadline: Instant) async -> DownloadReport {
        var report = DownloadReport(url: text)
        var askedHost: String?
        do throws(DownloadURL.Problem) {
            let url = try DownloadURL(text)
            askedHost = url.host
            var request = TransferRequest(url: url, askedHost: url.host, file: file, timeLimit: .zero)
            for _ in 0...settings.redirectLimit {
                request.timeLimit = deadline - SystemTime().now
                report.url = request.url.text
                guard request.timeLimit > .zero else {
                    report.failure = request.timedOut()
                    return report
                }
                let result = await loop.run(request)
                report.status = result.status
                report.contentType = result.contentType.flatMap(DeclaredType.essence)
                report.fetchedByteCount = result.fetchedByteCount
                report.failure = result.failure
                guard result.failure == nil, let location = result.location else { return report }
                request.isRedirected = true
                request.url = try request.url.resolving(location)
            }
            report.failure = request.tooManyRedirects(limit: settings.redirectLimit)
        } catch {
            report.failure = error.failure(redirectedBy: askedHost)
        }
        return report
    }
}
