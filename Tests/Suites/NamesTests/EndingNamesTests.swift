import Base
import Downloads
import HTTPClient
import Media
import Support
import Testing

@Suite("Names when the process ends", .timeLimit(.minutes(10)))
struct EndingNamesTests {
    private let server: NameServer
    private let downloader: Downloader

    init() throws {
        server = try NameServer { _ in .silence }
        var settings = DownloadSettings()
        settings.http.resolver = NameResolver(servers: server.address)
        settings.http.connectTimeout = .seconds(300)
        downloader = Downloader(settings: settings)
    }

    /// Returns the failure of a download whose host's name gets no answer.
    private func failure(_ host: String) async throws -> AttachmentFailure.Reason? {
        let file = try MediaFile(byteLimit: 1000)
        let job = DownloadJob(
            downloader.resolve("http://\(host)/it.jpg"),
            into: file,
            deadline: Deadline(SystemTime().now + .seconds(300)),
            timeLimit: .seconds(300),
        )
        _ = await downloader.download(job)
        guard case .cut(let failure) = file.progress.ending else { return nil }
        return failure.reason
    }

    @Test("a download that waits for a name ends with the process, and so does one that comes later")
    func ending() async throws {
        defer { server.stop() }
        async let first = failure("first.example")
        await server.questions { !$0.isEmpty }
        downloader.drain(within: .milliseconds(10))
        #expect(try await first == .workerStopped)
        #expect(try await failure("second.example") == .workerStopped)
        downloader.stop()
    }
}
