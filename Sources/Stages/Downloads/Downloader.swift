package import Events
package import HTTPClient
package import Media
package import Timing

/// A downloader of sources into media files.
package final class Downloader: Sendable {
    private let settings: DownloadSettings
    /// The client for all requests of this worker to servers that its operator does not run.
    package let client: HTTPClient
    private let limiter: OriginLimiter
    private let instrument: any Instrument<OriginEvent>

    package init(
        settings: DownloadSettings,
        time: any TimeSource = SystemTime(),
        instrument: any Instrument<OriginEvent> = NoInstrument<OriginEvent>(),
    ) {
        self.settings = settings
        client = HTTPClient(settings: settings.http, time: time, instrument: instrument)
        limiter = OriginLimiter(settings.origins, time: time, instrument: instrument)
        self.instrument = instrument
    }

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

    /// Returns the rule for the source at `url`, or `nil` if there is none.
    package func rule(for url: String) -> AccessRule? { settings.access.rule(for: url) }

    /// Returns the origin of the source at `url`; `nil` if that is not the URL of a server.
    package func origin(of url: String) -> Origin? {
        guard let parsed = try? DownloadURL(url) else { return nil }
        var origin = settings.origins.origin(of: parsed)
        origin.access = rule(for: url)?.key
        return origin
    }

    /// Sets the number of notifications that wait elsewhere for running downloads to end. The least promising downloads
    /// give way to them.
    package func setDemand(_ count: Int) { limiter.setDemand(count) }

    /// Begins the end of the process: downloads that would not be done in a few seconds end.
    package func drain() { limiter.drain() }

    /// Cancels the running downloads and refuses later ones.
    package func stop() { client.stop() }

    private func report(on job: DownloadJob) async -> DownloadReport {
        let end = client.time.now + job.timeLimit
        do throws(DownloadURL.ParseError) {
            let target = try settings.access.target(of: job.url)
            var download = Download(job, of: target, settings, limiter, client, until: end) { [instrument] in
                instrument.record(.refusedAccess(rule: $0, status: $1))
            }
            await download.run(expectsClip: job.kind.map { $0 != .image } ?? target.url.namesClip)
            client.reportConcealedCause(of: download.report.failure)
            return download.report
        } catch {
            return DownloadReport(url: job.url, failure: error.failure(redirectedBy: nil))
        }
    }
}
