package import Events
package import Media
import Timing

/// A client that downloads sources over HTTP into media files, all on one thread of its own.
package final class Downloader: Sendable {
    private let settings: DownloadSettings
    let loop: TransferLoop
    private let ruleLoops: RuleLoops
    private let limiter: OriginLimiter
    /// The limiter for answers that are posted to callbacks. They don't wait for downloads, nor downloads for them.
    let callbackLimiter: OriginLimiter
    private let heartbeat: LoopHeartbeat?
    private let instrument: any Instrument<OriginEvent>

    /// Creates a downloader. Throws when the process has no memory, descriptor or thread left.
    package init(
        settings: DownloadSettings,
        instrument: any Instrument<OriginEvent> = NoInstrument<OriginEvent>(),
    ) throws(AttachmentFailure) {
        self.settings = settings
        loop = try TransferLoop(settings: settings)
        ruleLoops = RuleLoops(settings: settings)
        limiter = OriginLimiter(settings.origins, time: SystemTime(), instrument: instrument)
        callbackLimiter = OriginLimiter(.callbacks, time: SystemTime(), instrument: NoInstrument<OriginEvent>())
        heartbeat = settings.isEssential ? LoopHeartbeat(settings.name) { [loop] in loop.answer($0) } : nil
        self.instrument = instrument
    }

    deinit { stop() }

    /// Writes the source's bytes into the job's file while they arrive, and ends the file: whole, or cut with the failure
    /// that the report has too. The download ends at once if the task is cancelled or another task ends the file.
    ///
    /// Where the origin answers ranges, only the ranges that the file's readers want are fetched. This returns when all
    /// of the source is there, or no reader is left to want more, which ends the file.
    @discardableResult
    package func download(_ job: DownloadJob) async -> DownloadReport {
        let report = await report(on: job)
        job.file.end(report.failure.map(MediaFile.Ending.cut) ?? .whole)
        return report
    }

    /// The present load on origins.
    package var originUsage: OriginUsage { limiter.usage }

    /// Returns the reason why a callback's URL can never be called, or `nil` if it may be.
    package func refusal(ofCallback url: String) -> String? { CallbackURL.refusal(of: url, settings.addresses) }

    /// Returns the rule for the source at `url`, or `nil` if there is none.
    package func rule(for url: String) -> AccessRule? { settings.access.rule(for: url) }

    /// Returns the thread for requests with the access of a rule.
    func loop(for rule: AccessRule, _ access: SourceAccess) throws(AttachmentFailure) -> TransferLoop {
        try ruleLoops.loop(for: rule, access)
    }

    /// Sets the number of notifications that wait elsewhere for running downloads to end. The least promising downloads
    /// give way to them.
    package func setDemand(_ count: Int) { limiter.setDemand(count) }

    /// Cancels the running downloads and refuses later ones.
    package func stop() {
        loop.stop()
        ruleLoops.stop()
    }

    /// Reports to the operator the cause that the caller must not learn.
    func reportConcealedCause(of failure: AttachmentFailure?) {
        guard let failure, let cause = failure.concealedCause else { return }
        instrument.record(failure.reason == .refusedAddress ? .refusedHost(cause) : .lackedCredentials(cause))
    }

    private func report(on job: DownloadJob) async -> DownloadReport {
        let end = SystemTime().now + job.timeLimit
        do throws(DownloadURL.ParseError) {
            let target = try settings.access.target(of: job.url)
            var download = Download(job, of: target, settings, limiter, loop, ruleLoops, until: end) { [instrument] in
                instrument.record(.refusedAccess(rule: $0, status: $1))
            }
            await download.run(expectsClip: job.kind.map { $0 != .image } ?? target.url.namesClip)
            reportConcealedCause(of: download.report.failure)
            return download.report
        } catch {
            return DownloadReport(url: job.url, failure: error.failure(redirectedBy: nil))
        }
    }
}
