import Base
import Downloads
import HTTPClient
import Media
import Support
import Testing

/// Tests that failures don't reveal the names in an internal DNS or their addresses (SECURITY N11).
@Suite("Details that a failure conceals", .timeLimit(.minutes(10)))
struct ConcealmentTests {
    private static let private10 = IPAddress(v4: 0x0A00_0007)

    @Test("a name without an address and one with a private address or port fail alike, except in the operator's log")
    func names() async throws {
        let events = RecordedEvents<OriginEvent>()
        var settings = DownloadSettings.patient
        settings.http.resolve = {
            $0 == "secret.invalid" ? [Self.private10] : $0 == "port.invalid" ? [IPAddress(v4: 0x0808_0808)] : nil
        }
        let downloader = Downloader(
            settings: settings,
            recorder: events,
        )
        var all: [Fetched] = []
        for url in ["http://secret.invalid/", "http://nobody.invalid/", "http://port.invalid:6379/"] {
            all.append(try await downloader.fetch(url))
        }
        #expect(all.map(\.failure?.reason) == [.refusedAddress, .refusedAddress, .refusedAddress])
        #expect(
            all.map(\.failure?.message)
                == ["secret", "nobody", "port"].map {
                    "\($0).invalid has no address from which attachd may download. If its address is private, see --allow-address."
                }
        )
        #expect(all.allSatisfy { $0.bytes.isEmpty && $0.status == nil })
        #expect(
            events.events.compactMap { event -> String? in
                if case .refusedHost(let cause) = event { "\(cause)" } else { nil }
            } == [
                "secret.invalid: 10.0.0.7 is a private address (10.0.0.0/8)", "nobody.invalid has no address",
                "port.invalid: port 6379 is not one that media is served from",
            ]
        )
    }

    @Test("repeated requests still fail alike", arguments: ["secret.invalid", "nobody.invalid"])
    func again(host: String) async throws {
        var settings = DownloadSettings.patient
        settings.http.resolve = { $0 == "secret.invalid" ? [Self.private10] : nil }
        (settings.origins.breaker.firstPause, settings.origins.breaker.longestPause) = (.seconds(3600), .seconds(3600))
        let downloader = Downloader(settings: settings)
        var reasons: [AttachmentFailure.Reason?] = []
        for _ in 0..<12 { reasons.append(try await downloader.fetch("http://\(host)/").reason) }
        #expect(reasons.prefix(5).allSatisfy { $0 == .refusedAddress })
        #expect(reasons.last == .originUnavailable)
    }

    @Test("the targets of redirects fail alike, too", arguments: ["http://secret.invalid/", "http://nobody.invalid/"])
    func redirects(target: String) async throws {
        let origin = try OriginServer(address: "127.0.0.2") { _ in .redirect(to: target) }
        defer { origin.stop() }
        var settings = try DownloadSettings.opening("127.0.0.2")
        settings.http.resolve = { $0 == "secret.invalid" ? [Self.private10] : nil }
        let failure = try await Downloader(settings: settings).fetch(origin.url()).failure
        #expect(failure?.reason == .refusedAddress)
        #expect(
            failure?.message == "127.0.0.2 (after a redirect) has no address from which attachd may download."
                + " If its address is private, see --allow-address."
        )
    }
}
