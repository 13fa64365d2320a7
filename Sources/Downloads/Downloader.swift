package import Media

/// Downloads sources over HTTP into media files, all on one thread of its own.
package final class Downloader: Sendable {
    private let settings: DownloadSettings
    let loop: TransferLoop

    /// Throws when the process has no memory or thread left.
    package init(settings: DownloadSettings) throws(AttachmentFailure) {
        self.settings = settings
        loop = try TransferLoop(settings: settings)
    }

    deinit { loop.stop() }

    /// Writes the source's bytes into `file` while they arrive, and ends the file: whole, or cut with the failure that the
    /// report has too. No request takes longer than is left of `timeLimit`; all ends at once if the task is cancelled or
    /// somebody else ends the file.
    ///
    /// Where the origin has parts of a source, only those are fetched that the file's readers want; this returns when
    /// all of it is there, or nobody is left to want more, which ends the file. `kind` is what the source is said to be,
    /// if anybody has said so: of video and sound the beginning is asked for first. A source that is still the `known`
    /// one isn't fetched. `onHead` is told what each answer says of its use, before any byte of that answer is in the file.
    package func download(
        _ url: String,
        into file: MediaFile,
        timeLimit: Duration,
        kind: MediaFormat.Kind? = nil,
        unless known: SourceValidators? = nil,
        onHead: @escaping @Sendable (SourceHead) -> Void = { _ in },
    ) async -> DownloadReport {
        let report = await report(url, file, timeLimit, kind, known, onHead)
        file.end(report.failure.map(MediaFile.Ending.cut) ?? .whole)
        return report
    }

    /// Cancels the downloads that are under way and refuses later ones.
    package func stop() { loop.stop() }

    private func report(
        _ text: String,
        _ file: MediaFile,
        _ timeLimit: Duration,
        _ kind: MediaFormat.Kind?,
        _ known: SourceValidators?,
        _ onHead: @escaping @Sendable (SourceHead) -> Void,
    ) async -> DownloadReport {
        let deadline = SystemTime().now + timeLimit
        do throws(DownloadURL.Problem) {
            let url = try DownloadURL(text)
            var download = Download(
                of: url,
                into: file,
                loop,
                settings,
                until: deadline,
                unless: known,
                onHead: onHead,
            )
            await download.run(expectsClip: kind.map { $0 != .image } ?? url.namesClip)
            return download.report
        } catch {
            return DownloadReport(url: text, failure: error.failure(redirectedBy: nil))
        }
    }
}
