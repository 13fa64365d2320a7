import Downloads
import HTTPClient
import Foundation
import Media
import Support
import Testing

@Suite("Downloads", .timeLimit(.minutes(10)))
struct DownloaderTests {
    @Test(
        "a body arrives whole, whatever the URL's name and the declared type",
        arguments: [("/photo.jpg", "image/jpeg"), ("/photo", "text/html"), ("/photo.exe?size=1&x=%20", nil)],
    )
    func whole(path: String, type: String?) async throws {
        let body = pattern(300_000)
        let origin = try OriginServer { _ in .body(body, type: type) }
        defer { origin.stop() }

        let fetched = try await Downloader(settings: .opening("127.0.0.1")).fetch(origin.url(path))

        #expect(fetched.failure == nil)
        #expect(fetched.file.progress.ending == .whole)
        #expect(fetched.holds(body))
        #expect(fetched.status == 200)
        #expect(origin.requests.map(\.path) == [path])
    }

    @Test("a body without a length arrives whole", arguments: [OriginAnswer.Framing.chunked, .none])
    func framings(framing: OriginAnswer.Framing) async throws {
        let body = pattern(100_000)
        let origin = try OriginServer { _ in
            var answer = OriginAnswer.body(body)
            answer.framing = framing
            return answer
        }
        defer { origin.stop() }
        let fetched = try await Downloader(settings: .opening("127.0.0.1")).fetch(origin.url())
        #expect(fetched.file.progress.ending == .whole)
        #expect(fetched.holds(body))
    }

    @Test("bytes are in the file before the rest arrives")
    func progressive() async throws {
        let body = pattern(10_000)
        let origin = try OriginServer { _ in .stall(after: 4_000, of: body) }
        defer { origin.stop() }
        let downloader = try Downloader(settings: .opening("127.0.0.1"))
        let file = try MediaFile(byteLimit: 10_000)
        async let fetched = downloader.download(origin.url(), into: file, timeLimit: .seconds(540))

        let progress = await file.progress(reaching: 4_000)

        #expect(progress.byteCount == 4_000)
        #expect(progress.ending == nil)
        #expect(file.prefix(4_000) == Array(body.prefix(4_000)))
        downloader.stop()
        #expect(await fetched.failure?.reason == .cancelled)
    }

    @Test("the request names the worker, asks for no encoding, and carries neither cookies nor credentials")
    func request() async throws {
        let origin = try OriginServer { _ in
            var answer = OriginAnswer.body([1])
            answer.headers = [("Set-Cookie", "session=1")]
            return answer
        }
        defer { origin.stop() }
        var settings = try DownloadSettings.opening("127.0.0.1")
        settings.http.userAgent = "attachd/test"
        let downloader = Downloader(settings: settings)
        for _ in 0..<2 { _ = try await downloader.fetch(origin.url()) }

        let headers = try #require(origin.requests.last).headers
        #expect(headers["user-agent"] == "attachd/test")
        #expect(headers["accept-encoding"] == "identity")
        #expect(Set(headers.keys) == ["host", "user-agent", "accept", "accept-encoding"])
    }

    @Test("successive downloads use one connection")
    func reuse() async throws {
        let origin = try OriginServer { _ in .body([1, 2, 3]) }
        defer { origin.stop() }
        let downloader = try Downloader(settings: .opening("127.0.0.1"))
        for _ in 0..<5 { #expect(try await downloader.fetch(origin.url()).bytes == [1, 2, 3]) }
        #expect(origin.connectionCount == 1)
    }

    @Test("200 downloads at once all arrive")
    func many() async throws {
        let origin = try OriginServer { request in .body(Array(request.path.utf8)) }
        defer { origin.stop() }
        var settings = try DownloadSettings.opening("127.0.0.1")
        // On a full machine some wait long for the first byte, which says nothing of the origin.
        settings.origins.grace = .seconds(60)
        let downloader = Downloader(settings: settings)
        let whole = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<200 {
                group.addTask {
                    let fetched = try await downloader.fetch(origin.url("/\(index)"))
                    #expect(fetched.failure == nil)
                    return fetched.file.progress.ending == .whole && fetched.bytes == Array("/\(index)".utf8)
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(whole == 200)
    }

    @Test("a proxy in the environment is not used")
    func proxy() async throws {
        await #expect(processExitsWith: .success) {
            BlockingLimit.begin()
            let proxy = try OriginServer { _ in .body([6, 6, 6]) }
            let origin = try OriginServer(address: "127.0.0.2") { _ in .body([1]) }
            for name in ["http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"] {
                unsafe setenv(name, proxy.url(), 1)
            }
            let downloader = try Downloader(settings: .opening("127.0.0.2"))
            try #require(try await downloader.fetch(origin.url()).bytes == [1])
            try #require(proxy.connectionCount == 0)
        }
    }
}
