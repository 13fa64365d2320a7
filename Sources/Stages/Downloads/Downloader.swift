package import Media
package import Timing

/// Downloads sources over HTTP into media files, all on one thread of its own.
package final class Downloader: Sendable {
    private let settings: DownloadSettings
    let loop: TransferLoop
    private let gate: OriginLimiter
    /// For answers that are posted to callbacks. They don't wait for downloads, nor downloads for them.
    let callbackGate: OriginLimiter
    private let requester: Requester
    private let heartbeat: LoopHeartbeat
    private let onConcealedCause: @Sendable (AttachmentFailure.ConcealedCause) -> Void

    /// `onConcealedCause` is told, for the operator's log, why a host wasn't asked. Throws when the process has no memory,
    /// descriptor or thread left.
    package init(
        settings: DownloadSettings,
        observe: @escaping @Sendable (OriginEvent) -> Void = { _ in },
        onConcealedCause: @escaping @Sendable (AttachmentFailure.ConcealedCause) -> Void = { _ in },
    ) throws(AttachmentFailure) {
        self.settings = settings
        loop = try TransferLoop(settings: settings)
        gate = OriginLimiter(settings.origins, time: SystemTime(), observe: observe)
        callbackGate = OriginLimiter(.callbacks, time: SystemTime(), observe: { _ in })
        requester = Requester(loop, gate)
        heartbeat = LoopHeartbeat(settings.name) { [loop] in loop.answer($0) }
        self.onConcealedCause = onConcealedCause
    }

    deinit { loop.stop() }

    /// Writes the source's bytes into `file` while they arrive, and ends the file: whole, or cut with the failure that the
    /// report has too. No request takes longer than is left of `timeLimit`; all ends at once if the task is cancelled or
    /// somebody else ends the file.
    ///
    /// Where the origin has parts of a source, only those are fetched that the file's readers want; this returns when
    /// all of it is there, or nobody is left to want more, which ends the file. `kind` is what the source is said to be,
    /// if anybody has said so: of video and sound the beginning is asked for first. A source that is still the `known`
    /// one isn't fetched. `wanted` is until when those who wait now want it: an origin that can't be asked before isn't
    /// waited for. `onHead` is told what each answer says of its use, before any byte of that answer is in the file.
    package func download(
        _ url: String,
        into file: MediaFile,
        timeLimit: Duration,
        kind: MediaFormat.Kind? = nil,
        wanted: MovingDeadline? = nil,
        unless known: SourceValidators? = nil,
        onHead: @escaping @Sendable (SourceHead) -> Void = { _ in },
    ) async -> DownloadReport {
        let report = await report(url, file, timeLimit, kind, wanted, known, onHead)
        file.end(report.failure.map(MediaFile.Ending.cut) ?? .whole)
        return report
    }

    /// What is asked of origins now.
    package var originUsage: OriginUsage { gate.usage }

    /// Why a callback's URL can never be called; `nil` if it may be.
    package func refusal(ofCallback url: String) -> String? { CallbackURL.refusal(of: url, settings.addresses) }

    /// Says how many notifications wait elsewhere for downloads that are under way to end. The least promising ones give
    /// way to them.
    package func setDemand(_ count: Int) { gate.setDemand(count) }

    /// Cancels the downloads that are under way and refuses later ones.
    package func stop() { loop.stop() }

    /// Tells the operator what the caller must not know.
    func note(_ failure: AttachmentFailure?) {
        if let cause = failure?.concealedCause { onConcealedCause(cause) }
    }

    private func report(
        _ text: String,
        _ file: MediaFile,
        _ timeLimit: Duration,
        _ kind: MediaFormat.Kind?,
        _ wanted: MovingDeadline?,
        _ known: SourceValidators?,
        _ onHead: @escaping @Sendable (SourceHead) -> Void,
    ) async -> DownloadReport {
        let deadline = SystemTime().now + timeLimit
        do throws(DownloadURL.Problem) {
            let url = try DownloadURL(text)
            var download = Download(
                of: url,
                into: file,
                requester,
                settings,
                until: deadline,
                wanted: wanted,
                unless: known,
                onHead: onHead,
            )
            await download.run(expectsClip: kind.map { $0 != .image } ?? url.namesClip)
            note(download.report.failure)
            return download.report
        } catch {
            return DownloadReport(url: text, failure: error.failure(redirectedBy: nil))
        }
    }
}
