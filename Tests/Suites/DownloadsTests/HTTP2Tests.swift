import Downloads
import HTTPClient
import Media
import Support
import Testing

/// Tests of origins that offer HTTP/2, which attachd does not speak.
@Suite("Origins of HTTP/2", .timeLimit(.minutes(10)))
struct HTTP2Tests {
    @Test("an origin with both versions is asked in HTTP/1.1, and a slowly read source doesn't delay its others")
    func paused() async throws {
        let nginx = try await TLSNginx(files: ["a.bin": pattern(20_000_000), "b.bin": pattern(50_000)])
        defer { nginx.stop() }
        var settings = try DownloadSettings.opening("127.0.0.1")
        settings.http.authoritiesFile = nginx.authoritiesFile
        settings.ranges.windowByteCount = 100_000
        let downloader = Downloader(settings: settings)

        // This reader wants the first byte, and nothing more for now.
        let slow = try MediaFile(byteLimit: 30_000_000)
        async let slowReport = downloader.download(nginx.url("a.bin"), into: slow, timeLimit: .seconds(540))
        _ = await slow.contents { $0.present.prefixCount >= 100_000 || $0.ending != nil }
        for _ in 0..<20 {
            let fetched = try await downloader.fetch(nginx.url("b.bin"))
            #expect(fetched.failure == nil && fetched.holds(pattern(50_000)))
        }
        slow.want(0..<Int.max)
        #expect(await slowReport.failure == nil)
        #expect(slow.progress.byteCount == 20_000_000)
        #expect(nginx.protocols == ["HTTP/1.1"])
    }
}
