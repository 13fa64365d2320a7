import Downloads
import HTTPClient
import Media
import Support
import Testing

/// Tests of hostile origins that speak HTTP/2 over TLS: none of their frames is read (SECURITY N8, N9).
@Suite("Origins of HTTP/2", .timeLimit(.minutes(10)), .serialized)
struct HTTP2Tests {
    /// The reasons with which an attack may end.
    private static let reasons: Set<AttachmentFailure.Reason> = [.connectionFailed, .truncated, .stalled, .tooLarge]

    /// Each attack over IPv4, and a selection of them over IPv6.
    private static let cases: [(HTTP2Origin.Attack, String)] =
        HTTP2Origin.Attack.allCases.map { ($0, "127.0.0.1") }
        + [.none, .bomb, .continuations, .reset, .garbage].map { ($0, "::1") }

    @Test("an attack ends, and other downloads go on during it and afterwards", arguments: cases)
    func attacks(attack: HTTP2Origin.Attack, address: String) async throws {
        let hostile = try HTTP2Origin(attack, address: address)
        let honest = try OriginServer { _ in .body(pattern(100_000)) }
        defer { honest.stop() }
        var settings = try DownloadSettings.opening("127.0.0.0/8", "::1/128")
        settings.http.authoritiesFile = hostile.authoritiesFile
        settings.http.stall = StallRule(byteCount: 100, window: .seconds(3))
        let downloader = Downloader(settings: settings)

        async let attacked = downloader.fetch(hostile.url)
        for _ in 0..<3 {
            let fetched = try await downloader.fetch(honest.url())
            #expect(fetched.report.failure == nil && fetched.holds(pattern(100_000)))
        }
        let fetched = try await attacked
        #expect(Self.reasons.contains(try #require(fetched.reason)), "\(String(describing: fetched.report.failure))")
        #expect(fetched.isConsistent && fetched.bytes.isEmpty)
        #expect(try await downloader.fetch(honest.url("/after")).report.failure == nil)
    }

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
        async let slowReport = downloader.download(nginx.url("a.bin"), into: slow, timeLimit: .seconds(60))
        _ = await slow.contents { $0.present.prefixCount >= 100_000 || $0.ending != nil }
        for _ in 0..<20 {
            let fetched = try await downloader.fetch(nginx.url("b.bin"))
            #expect(fetched.report.failure == nil && fetched.holds(pattern(50_000)))
        }
        slow.want(0..<Int.max)
        #expect(await slowReport.failure == nil)
        #expect(slow.progress.byteCount == 20_000_000)
        #expect(nginx.protocols == ["HTTP/1.1"])
    }
}
