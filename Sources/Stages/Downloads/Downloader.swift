package import Events
package import Media
package import Timing

/// A client that downloads sources over HTTP into media files, all on one thread of its own.
package final class Downloader: Sendable {
    private let settings: DownloadSettings
    let loop: TransferLoop
    private let gate: OriginLimiter
    /// The limiter for answers that are posted to callbacks. They don't wait for downloads, nor downloads for them.
    let callbackLimiter: OriginLimiter
    private let requester: Requester
    private let heartbeat: LoopHeartbeat
    private let instrument: any Instrument<OriginEvent>

    /// Creates a downloader. Throws when the process has no memory, descriptor or thread left.
    package init(
        settings: DownloadSettings,
        instrument: any Instrument<OriginEvent> = NoInstrument<OriginEvent>(),
    ) throws(AttachmentFailure) {
        self.settings = settings
        loop = try TransferLoop(settings: settings)
        gate = OriginLimiter(settings.origins, time: SystemTime(), instrument: instrument)
        callbackLimiter = OriginLimiter(.callbacks, time: SystemTime(), instrument: NoInstrument<OriginEvent>())
        requester = Requester(loop, gate)
        heartbeat = LoopHeartbeat(settings.name) { [loop] in loop.answer($0) }
        self.instrument = instrument
    }

    deinit { loop.stop() }

    /// Writes the source's bytes into `file` while they arrive, and ends the file: whole, or cut with the failure that
    /// the report has too. No request takes longer than the rest of `timeLimit`. The download ends at once if the task
    /// is cancelled or another task ends the file.
    ///
    /// Where the origin answers ranges, only the ranges that the file's readers want are fetched. This returns when all
    /// of the source is there, or no reader is left to want more, which ends the file. `kind` is the kind of source
    /// that the sender declared, if any: of video and sound the beginning is fetched first. A source that is still the
    /// `known` version isn't fetched. `wanted` has the deadlines of the callers that wait now: the download does not
    /// wait for an origin that cannot be asked before them. `onHead` receives each answer's head before any byte of
    /// that answer is in the file.
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

    /// The present load on origins.
    package var originUsage: OriginUsage { gate.usage }

    /// Returns the reason why a callback's URL can never be called, or `nil` if it may be.
    package func refusal(ofCallback url: String) -> String? { CallbackURL.refusal(of: url, settings.addresses) }

    /// Sets the number of notifications that wait elsewhere for running downloads to end. The least promising downloads
    /// give way to them.
    package func setDemand(_ count: Int) { gate.setDemand(count) }

    /// Cancels the running downloads and refuses later ones.
    package func stop() { loop.stop() }

    /// Reports to the operator the cause that the caller must not learn.
    func note(_ failure: AttachmentFailure?) {
        if let cause = failure?.concealedCause { instrument.record(.refusedHost(cause)) }
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
