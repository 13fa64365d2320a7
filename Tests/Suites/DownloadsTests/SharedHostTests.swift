import Base
import Media
import Support
import Testing

@testable import Downloads
@testable import HTTPClient

@Suite("Hosts that many customers share", .timeLimit(.minutes(10)))
struct SharedHostTests {
    private func origin(_ url: String, _ tenants: [TenantRule] = []) throws -> Origin {
        var rule = OriginRule()
        rule.tenants = tenants
        return rule.origin(of: try DownloadURL(url))
    }

    @Test(
        "the customer of a known host is the bucket, or the first name of its path",
        arguments: [
            ("https://s3.amazonaws.com/bucket/a.jpg", "bucket"), ("https://S3.amazonaws.com./bucket/a.jpg", "bucket"),
            ("https://s3.eu-west-1.amazonaws.com/bucket/a/b.jpg", "bucket"),
            ("https://s3.dualstack.eu-west-1.amazonaws.com/bucket/a.jpg", "bucket"),
            ("https://s3-eu-west-1.amazonaws.com/bucket/a.jpg", "bucket"),
            ("https://storage.googleapis.com/bucket/a.jpg", "bucket"),
            ("https://storage.googleapis.com/download/storage/v1/b/bucket/o/a.jpg", "download/storage/v1/b/bucket"),
            (
                "https://firebasestorage.googleapis.com/v0/b/app.appspot.com/o/a.jpg?alt=media",
                "v0/b/app.appspot.com"
            ),
            ("https://account.blob.core.windows.net/container/a.jpg", "container"),
            ("https://nyc3.digitaloceanspaces.com/bucket/a.jpg", "bucket"),
            ("https://account.r2.cloudflarestorage.com/bucket/a.jpg", "bucket"),
            ("https://objectstorage.eu-frankfurt-1.oraclecloud.com/n/space/b/bucket/o/a.jpg", "n/space/b/bucket"),
            // A private public suffix itself.
            ("https://github.io/one/a.jpg", "one"), ("https://github.io/%4Fne/../two//a.jpg", "two"),
        ]
    )
    func customers(url: String, customer: String) throws {
        let origin = try origin(url)
        #expect(origin.customer == customer && origin.tenant == nil)
        // The fair share stays the host's: anybody may write any path.
        #expect(try origin.site == self.origin("https://\(origin.host)/").site)
    }

    @Test(
        "other hosts belong to one owner, and a file in the root is not a customer",
        arguments: [
            "https://cdn.example/one/a.jpg", "https://one.github.io/two/a.jpg",
            "https://bucket.s3.amazonaws.com/a/b.jpg",
            "https://s3.amazonaws.com/a.jpg", "https://firebasestorage.googleapis.com/v1/b/app/o",
            "http://localhost/a/b",
            "http://192.0.2.7/a/b", "https://co.uk/a/b", "https://s3.amazonaws.com.evil.example/a/b",
        ]
    )
    func others(url: String) throws {
        #expect(try origin(url).customer == nil)
    }

    @Test("a rule of the operator decides instead, unless it says nothing about tenants")
    func rules() throws {
        let url = "https://s3.amazonaws.com/bucket/product/a.jpg"
        let match = "https://s3.amazonaws.com/*"
        let told = try origin(url, [TenantRule(match: match, segmentCount: 2)])
        #expect(told.tenant == "bucket/product" && told.customer == nil)
        let silent = try origin(url, [TenantRule(match: match, segmentCount: 0)])
        #expect(silent.tenant == nil && silent.customer == "bucket")
    }

    @Test(
        "one customer that asks for a pause, or answers with 500 again and again, stops no other one",
        arguments: [
            (OriginOutcome(isOverloaded: true, pause: .seconds(60)), 1),
            (OriginOutcome(health: .failure, isOverloaded: true), 22),
        ]
    )
    func apart(outcome: OriginOutcome, count: Int) async throws {
        let time = TestTime()
        let limiter = OriginLimiter(OriginRule(), time: time, recorder: NoRecorder<OriginEvent>())
        let (evil, good) = (
            try origin("https://s3.amazonaws.com/evil/a.jpg"), try origin("https://s3.amazonaws.com/good/a.jpg")
        )
        for _ in 0..<count {
            guard let permit = try? await limiter.enter(evil, until: time.now + .milliseconds(500)) else { break }
            permit.leave(outcome)
        }
        await #expect(throws: OriginLimitError.self) {
            try await limiter.enter(evil, until: time.now + .milliseconds(500))
        }
        let permit = try await limiter.enter(good, until: time.now + .milliseconds(500))
        permit.leave(.worked)
    }

    @Test(
        "a source has the name of its origin, with tenant, customer and access, and its site",
        arguments: [
            ("https://shared.example/One/a.jpg?b#c", "https://shared.example:443\ntenant one\n", "shared.example/one"),
            ("https://s3.amazonaws.com/One/a.jpg", "https://s3.amazonaws.com:443\ncustomer one\n", "s3.amazonaws.com"),
            (
                "http://w.a.example:81/b/c.jpg", "http://w.a.example:81\n\nrule http://w.a.example:81/b/*; ; a; ",
                "a.example"
            ),
            ("http://w.a.example:81/c.jpg", "http://w.a.example:81\n\n", "a.example"),
        ]
    )
    func origins(url: String, name: String, site: String) throws {
        var settings = try DownloadSettings.with(AccessRule("http://w.a.example:81/b/", headers: ["A": "hidden"]))
        settings.origins.tenants = [TenantRule(match: "https://shared.example/*", segmentCount: 1)]
        let source = settings.access.resolve(url, origins: settings.origins)
        let target = try #require(try source.target?.get())
        #expect(source.origin == name && target.origin.site.name == site)
        #expect(source.accessKey == target.rule?.key && source.host == target.url.host)
        #expect(source.text == url && source.identity == url && source.path == nil)
    }

    @Test("what crashed decoders is remembered by tenant and by access, too")
    func names() throws {
        var settings = DownloadSettings.patient
        settings.origins.tenants = [TenantRule(match: "https://shared.example/*", segmentCount: 1)]
        let downloader = Downloader(settings: settings, recorder: NoRecorder<OriginEvent>())
        defer { downloader.stop() }
        let urls = [
            "https://shared.example/one/a.jpg", "https://shared.example/two/a.jpg",
            "https://s3.amazonaws.com/one/a.jpg",
            "https://s3.amazonaws.com/two/a.jpg", "https://a.example/one/a.jpg", "http://a.example/one/a.jpg",
        ]
        #expect(Set(urls.map { downloader.resolve($0).origin }).count == urls.count)
        #expect(downloader.resolve("https://a.example/two/a.jpg").origin == downloader.resolve(urls[4]).origin)
        #expect(throws: DownloadURL.ParseError.self) { try downloader.resolve("file:///etc/passwd").target?.get() }
    }
}
