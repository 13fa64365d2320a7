import Base
import Files
import Media
import Support
import Testing

@testable import Downloads
@testable import HTTPClient

/// Tests of sources in buckets: which ones are asked for, and what they get (SECURITY N12, N19).
@Suite("Objects of buckets as sources", .timeLimit(.minutes(10)))
struct ObjectSourceTests {
    private func bucket(_ text: String, at origin: OriginServer) throws -> BucketAddress {
        try BucketAddress(text, endpoint: "http://\(origin.address):\(origin.port)", region: "eu-central-1")
    }

    @Test(
        "an object is asked for at the rule's endpoint, at a private address too, with a signature that has the range"
    )
    func signed() async throws {
        let body = pattern(300_000)
        let origin = try OriginServer(address: "127.0.0.2") { .ranges(of: body, to: $0, type: "video/mp4") }
        defer { origin.stop() }
        let rule = AccessRule(bucket: try bucket("s3://media/a", at: origin))
        let downloader = try Downloader(settings: .with(rule))
        let fetched = try await downloader.fetch("s3://media/a/b%20c/d+ä.mp4", wantsAll: true)
        #expect(fetched.failure == nil && fetched.holds(body))
        let request = try #require(origin.requests.first)
        #expect(request.path == "/media/a/b%20c/d%2B%C3%A4.mp4" && request.headers["range"] != nil)
        let authorization = try #require(request.headers["authorization"])
        #expect(authorization.contains("Credential=AKIA1/") && authorization.contains("/eu-central-1/s3/aws4_request"))
        #expect(authorization.contains("SignedHeaders=host;range;x-amz-content-sha256;x-amz-date"))
        #expect(!"\(request)".contains("hidden"))
    }

    @Test(
        "without a rule for it, an object is not asked for, and the URL is not a hint to a rule for a host",
        arguments: [
            "s3://other/a/b.jpg", "s3://media/b/c.jpg", "s3://media/ab/c.jpg", "s3://media/a", "s3://Media/a/b.jpg",
            "s3://media/a/", "s3://media./a/b.jpg", "s3://user:pw@media/a/b.jpg", "s3://media:80/a/b.jpg",
            "s3:///media/a/b.jpg",
        ]
    )
    func refused(url: String) async throws {
        let origin = try OriginServer { _ in .body([1]) }
        defer { origin.stop() }
        let events = RecordedEvents<OriginEvent>()
        let settings = try DownloadSettings.with(AccessRule(bucket: try bucket("s3://media/a/", at: origin)))
        let downloader = Downloader(settings: settings, recorder: events)
        let failure = try await downloader.fetch(url).failure
        #expect(failure?.reason == .refusedScheme)
        #expect(failure?.message == "The attachment's URL cannot be used: no rule for sources allows its bucket.")
        #expect(origin.connectionCount == 0 && downloader.resolve(url).rule == nil)
    }

    @Test(
        "a name that a store or libcurl could read in another way is refused",
        arguments: [
            "s3://media/a/../b.jpg", "s3://media/a/%2e%2e/b.jpg", "s3://media/a/./b.jpg",
            "s3://media/a/b.jpg?versionId=1",
            "s3://media/a/b#c", "s3://media/a/%00", "s3://media/a/%0d%0aHost:%20b", "s3://media/a/%c0%ae%c0%ae/b",
            "s3://media", "s3://media/", "s3://media/a/../\u{301}b.jpg", "s3://media/a/..%2f%cc%81b.jpg",
        ]
    )
    func invalid(url: String) async throws {
        let origin = try OriginServer { _ in .body([1]) }
        defer { origin.stop() }
        let rule = AccessRule(bucket: try bucket("s3://media", at: origin))
        #expect(try await Downloader(settings: .with(rule)).fetch(url).reason == .invalidURL)
        #expect(origin.connectionCount == 0)
    }

    @Test("the endpoint's address is open for nothing but the objects of the rule")
    func endpoint() async throws {
        let origin = try OriginServer(address: "127.0.0.2") { _ in .body([1]) }
        defer { origin.stop() }
        let downloader = try Downloader(settings: .with(AccessRule(bucket: try bucket("s3://media/a", at: origin))))
        #expect(try await downloader.fetch("s3://media/a/b").bytes == [1])
        for url in [origin.url("/media/a/b"), origin.url("/")] {
            #expect(try await downloader.fetch(url).reason == .refusedAddress)
        }
        #expect(origin.requests.count == 1)
    }

    @Test("a bucket of AWS itself opens no private address")
    func aws() async throws {
        var settings = try DownloadSettings.with(
            AccessRule(bucket: try BucketAddress("s3://media", region: "eu-central-1"), isEndpointNamed: false)
        )
        settings.http.resolve = { _ in [IPAddress(v4: 0x0A00_0007)] }
        let failure = try await Downloader(settings: settings).fetch("s3://media/a").failure
        #expect(failure?.reason == .refusedAddress)
        #expect(failure?.message.hasPrefix("s3://media has no address") == true)
    }

    @Test("a redirect of the store gets neither signature nor session token, and its host is not opened")
    func redirect() async throws {
        let inner = try OriginServer(address: "127.0.0.3") { _ in .body([1]) }
        let other = try OriginServer { _ in .body([2]) }
        let origin = try OriginServer(address: "127.0.0.2") { request in
            .redirect(to: request.path == "/media/inner" ? inner.url("/") : other.url("/"))
        }
        defer { for server in [inner, other, origin] { server.stop() } }
        var rule = AccessRule(bucket: try bucket("s3://media", at: origin))
        let credentials = BucketCredentials(
            accessKeyID: "AKIA1",
            secretAccessKey: Secret("hidden"),
            sessionToken: Secret("token-hidden"),
        )
        let access = SourceAccess(credentials: .fixed(credentials), isEndpointNamed: true)
        rule = AccessRule(name: "objects", match: rule.match, access: access)
        let downloader = try Downloader(settings: .with(rule, opening: "127.0.0.1"))
        #expect(try await downloader.fetch("s3://media/outer").bytes == [2])
        #expect(try await downloader.fetch("s3://media/inner").reason == .refusedAddress)
        #expect(origin.requests.allSatisfy { $0.headers["x-amz-security-token"] == "token-hidden" })
        let asked = try #require(other.requests.first)
        #expect(!asked.headers.keys.contains { $0.hasPrefix("x-amz") || $0 == "authorization" })
        #expect(inner.connectionCount == 0)
    }

    @Test("credentials that cannot be read fail the source, and only the operator learns why")
    func credentials() async throws {
        let origin = try OriginServer { _ in .body([1]) }
        defer { origin.stop() }
        let source = CredentialsSource.file(.init("/nonexistent/credentials"), profile: "default")
        let access = SourceAccess(credentials: source, isEndpointNamed: true)
        let rule = AccessRule(name: "objects", match: .objects(try bucket("s3://media", at: origin)), access: access)
        let events = RecordedEvents<OriginEvent>()
        let downloader = try Downloader(settings: .with(rule), recorder: events)
        let failure = try await downloader.fetch("s3://media/a").failure
        #expect(failure?.reason == .internalError && failure?.message.contains("nonexistent") == false)
        guard case .lackedCredentials(let cause) = events.events.first else {
            Issue.record("\(events.events)")
            return
        }
        #expect("\(cause)".contains("/nonexistent/credentials"))
        #expect(origin.connectionCount == 0)
    }
}
