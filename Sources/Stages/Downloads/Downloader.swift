package import Base
package import HTTPClient
package import Media
import Synchronization

/// A downloader of sources into media files.
package final class Downloader: Sendable {
    let settings: DownloadSettings
    /// The client for all requests of this worker to servers that its operator does not run.
    package let client: HTTPClient
    let limiter: OriginLimiter
    /// The downloads that wait for a name, which end when the process does.
    let resolving = ResolvingDownloads()
    let recorder: any EventRecorder<OriginEvent>
    /// The sources of the last URLs: all notifications of a campaign have the same. They depend on nothing but the settings.
    private let recent = Mutex(BoundedTable<String, Source>(entryLimit: 256, byteLimit: 131_072))

    package init(
        settings: DownloadSettings,
        time: any TimeSource = SystemTime(),
        recorder: any EventRecorder<OriginEvent> = NoRecorder<OriginEvent>(),
    ) {
        self.settings = settings
        client = HTTPClient(settings: settings.http, time: time, recorder: recorder)
        limiter = OriginLimiter(settings.origins, time: time, recorder: recorder)
        self.recorder = recorder
    }

    /// Writes the source's bytes into the job's file while they arrive, and ends the file: whole, or cut with the failure.
    /// The download ends at once if the task is cancelled or another task ends the file.
    ///
    /// Where the origin answers ranges, only the ranges that the file's readers want are fetched. This returns when all
    /// of the source is there, or no reader is left to want more, which ends the file.
    package func download(_ job: DownloadJob) async {
        do throws(AttachmentFailure) {
            try await fetch(job)
            job.file.end(.whole)
        } catch {
            client.reportConcealedCause(of: error)
            job.file.end(.cut(error))
        }
    }

    private func fetch(_ job: DownloadJob) async throws(AttachmentFailure) {
        let named = job.source.target ?? .failure(.init(reason: .refusedScheme, text: "it names no server"))
        let target = try named.mapError { $0.failure(redirectedBy: nil) }.get()
        var download = Download(job, of: target, by: self)
        try await download.run(expectsClip: job.kind.map { $0 != .image } ?? target.url.namesClip)
    }

    /// The present load on origins.
    package var originUsage: OriginUsage { limiter.usage }

    /// Returns the source that `text` names. Each attachment's URL is parsed here once; later steps use this value.
    package func resolve(_ text: String) -> Source {
        if let known = recent.withLock({ $0.use(text) }) { return known }
        let source = settings.access.resolve(text, origins: settings.origins)
        recent.withLock { $0.insert(source, for: text, byteCount: text.utf8.count) }
        return source
    }

    /// Sets the number of notifications that wait elsewhere for running downloads to end. The least promising downloads
    /// give way to them.
    package func setDemand(_ count: Int) { limiter.setDemand(count) }

    /// Begins the end of the process: downloads that would not be done within `limit` end.
    package func drain(within limit: Duration) {
        limiter.drain(within: limit)
        Task.detached { [resolving, time = client.time] in
            try? await time.sleep(for: limit)
            resolving.end()
        }
    }

    /// Cancels the running downloads and refuses later ones.
    package func stop() { client.stop() }
}

// MARK: - The end of the process

/// The downloads that wait for the address of their host. They have no permit yet, so the limiter cannot end them.
final class ResolvingDownloads: Sendable {
    private struct State {
        var files: [ObjectIdentifier: MediaFile] = [:]
        var isOver = false
    }

    private let state = Mutex(State())

    /// Returns the result of `body`, which resolves the host of the file's source. Ends the file when the process ends.
    func run<Value: Sendable>(for file: MediaFile, _ body: () async throws(AttachmentFailure) -> Value)
        async throws(AttachmentFailure) -> Value
    {
        let isOver = state.withLock { state in
            if !state.isOver { state.files[ObjectIdentifier(file)] = file }
            return state.isOver
        }
        if isOver { file.end(.cut(Self.failure)) }
        defer { state.withLock { $0.files[ObjectIdentifier(file)] = nil } }
        return try await body()
    }

    /// Ends all downloads that wait for a name, now and later.
    func end() {
        let files = state.withLock { state in
            state.isOver = true
            return state.files.values
        }
        for file in files { file.end(.cut(Self.failure)) }
    }

    private static let failure = AttachmentFailure(
        .download,
        .workerStopped,
        "The worker is shutting down and did not wait for the name of the source's host.",
    )
}

// MARK: - Settings

/// The settings of all downloads. They are read once.
package struct DownloadSettings: Sendable {
    /// The settings of each request.
    package var http = HTTPSettings()
    package var ranges = RangeRule()
    /// The limits that protect origins.
    package var origins = OriginRule()
    /// The most redirects of one download.
    package var redirectLimit = 5
    /// The rules about sources that need access, and about those that come before them.
    package var access: [AccessRule] = []

    package init() {}
}

/// The rule for fetching a source in parts, where its origin answers range requests (RFC 9110, section 14).
package struct RangeRule: Sendable, Equatable {
    /// The size of the first request in bytes, for likely video or sound. Most have their index within it.
    package var firstByteCount = 131_072
    /// The size in bytes of the first request after a jump, if the reader does not say how much it will read. Each request
    /// that continues from there is twice as large as the previous one.
    package var leastByteCount = 65_536
    package var mostByteCount = 1_048_576
    /// The largest rest of a source behind a jump that is fetched to the end, in bytes: most of the time it is an
    /// index.
    package var tailByteCount = 1_048_576
    /// The size of a source, and the length of a jump, up to which a running download goes on instead.
    package var jumpByteCount = 1_048_576
    /// The distance in bytes by which a download in order may run ahead of its reader before it pauses.
    package var windowByteCount = 8_388_608
    /// The most range requests for one source. A reader that needs more is not looking for a clip.
    package var requestLimit = 64

    package init() {}
}
