import Base
import Media
import Support
import Synchronization
import Testing

@testable import Downloads
@testable import HTTPClient

/// Tests that a rule's addresses are the only ones that are dialled for its host, and that they open nothing else
/// (SECURITY N19).
@Suite("Hosts with fixed addresses", .timeLimit(.minutes(10)))
struct PinnedAddressTests {
    @Test("an internal host is reached at the rule's address, and by no other URL")
    func inner() async throws {
        let origin = try OriginServer(address: "127.0.0.2") { _ in .body([1]) }
        defer { origin.stop() }
        let host = "http://media.internal:\(origin.port)"
        let downloader = try Downloader(settings: .with(AccessRule("\(host)/a/", addresses: ["127.0.0.2"])))
        #expect(try await downloader.fetch("\(host)/a/b").bytes == [1])
        let count = origin.connectionCount
        for url in [
            "\(host)/b", "\(host)/a/%2e%2e/b", origin.url("/a/b"), "http://media.internal.:\(origin.port)/a/b",
            "https://media.internal:\(origin.port)/a/b", "http://media.internal/a/b",
            "http://other.internal:\(origin.port)/a/b", "http://media.internal:\(origin.port + 1)/a/b",
        ] {
            #expect(try await downloader.fetch(url).reason == .refusedAddress, "\(url)")
        }
        #expect(origin.connectionCount == count)
    }

    @Test("a name that leads to another address meanwhile is still dialled at the rule's")
    func rebinding() async throws {
        let right = try OriginServer(address: "127.0.0.2") { _ in .body([1]) }
        defer { right.stop() }
        var settings = try DownloadSettings.with(
            AccessRule("http://media.internal:\(right.port)/a/", addresses: ["127.0.0.2"]),
            opening: "127.0.0.3",
        )
        let asked = Mutex(0)
        settings.http.resolve = { _ in
            asked.withLock { $0 += 1 }
            return IPAddress("127.0.0.3").map { [$0] }
        }
        let downloader = Downloader(settings: settings)
        // The second name leads elsewhere: without the rule the name's own address counts.
        #expect(try await downloader.fetch("http://media.internal:\(right.port)/b").reason == .connectionFailed)
        #expect(asked.withLock(\.self) > 0)
        let before = asked.withLock(\.self)
        #expect(try await downloader.fetch("http://media.internal:\(right.port)/a/b").bytes == [1])
        #expect(asked.withLock(\.self) == before)
    }

    @Test("a host that is an address itself is dialled at the rule's addresses only")
    func literals() async throws {
        let origin = try OriginServer(address: "127.0.0.2") { _ in .body([1]) }
        defer { origin.stop() }
        for (address, isReached) in [("127.0.0.2", true), ("127.0.0.3", false)] {
            let count = origin.connectionCount
            let downloader = try Downloader(settings: .with(AccessRule(origin.url("/"), addresses: [address])))
            #expect(try await downloader.fetch(origin.url("/a")).bytes == (isReached ? [1] : []))
            #expect(origin.connectionCount == count + (isReached ? 1 : 0))
        }
    }

    @Test("failures of requests without access, which anybody can cause, do not close the host for those with it")
    func breakers() async throws {
        let origin = try OriginServer(address: "127.0.0.2") { _ in .body([1]) }
        defer { origin.stop() }
        let host = "http://media.internal:\(origin.port)"
        var settings = try DownloadSettings.with(AccessRule("\(host)/a/", addresses: ["127.0.0.2"]))
        (settings.origins.breaker.firstPause, settings.origins.breaker.longestPause) = (.seconds(3600), .seconds(3600))
        let downloader = Downloader(settings: settings)
        var reasons: Set<AttachmentFailure.Reason?> = []
        for number in 0..<8 { reasons.insert(try await downloader.fetch("\(host)/\(number)").reason) }
        #expect(reasons == [.refusedAddress, .originUnavailable])
        #expect(try await downloader.fetch("\(host)/a/b").bytes == [1])
    }

    @Test("of several addresses, one that does not answer is passed over")
    func several() async throws {
        let origin = try OriginServer(address: "127.0.0.2") { _ in .body([1]) }
        defer { origin.stop() }
        let rule = try AccessRule("http://media.internal:\(origin.port)/", addresses: ["127.0.0.9", "127.0.0.2"])
        #expect(
            try await Downloader(settings: .with(rule)).fetch("http://media.internal:\(origin.port)/a").bytes == [1]
        )
    }

    @Test("a redirect from the rule's host to the same address by number is refused")
    func redirect() async throws {
        let origin = try OriginServer(address: "127.0.0.2") { request in
            request.path == "/a"
                ? .redirect(to: "http://127.0.0.2:\(request.headers["host"]?.split(separator: ":").last ?? "")/b")
                : .body([1])
        }
        defer { origin.stop() }
        let rule = try AccessRule("http://media.internal:\(origin.port)/", addresses: ["127.0.0.2"])
        let fetched = try await Downloader(settings: .with(rule)).fetch("http://media.internal:\(origin.port)/a")
        #expect(fetched.reason == .refusedAddress && origin.requests.count == 1)
    }

    @Test("a kept connection of a rule is not used without it")
    func connections() async throws {
        let origin = try OriginServer(address: "127.0.0.2") { _ in .body([1]) }
        defer { origin.stop() }
        let rule = try AccessRule(origin.url("/a/"), addresses: ["127.0.0.2"])
        let downloader = try Downloader(settings: .with(rule, opening: "127.0.0.2"))
        for path in ["/a/1", "/a/2", "/b", "/a/3", "/c"] { _ = try await downloader.fetch(origin.url(path)) }
        #expect(origin.requests.count == 5 && origin.connectionCount == 2)
    }
}
