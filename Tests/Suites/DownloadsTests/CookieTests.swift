import Base
import Media
import Support
import Testing

@testable import Downloads
@testable import HTTPClient

/// Tests of the cookies of one download (SECURITY N22).
@Suite("Cookies", .timeLimit(.minutes(10)))
struct CookieTests {
    @Test(
        "a cookie goes back to its host alone, below its path, and by https if it says so",
        arguments: [
            ("a=b", "https://a.example/x/", "a=b"),
            ("a=b", "https://a.example/x/y/z", "a=b"),
            ("a=b", "https://a.example/xy", nil),
            ("a=b", "https://b.example/x/", nil),
            ("a=b", "https://sub.a.example/x/", nil),
            ("a=b; Path=/", "https://a.example/", "a=b"),
            ("a=b; path=/", "http://a.example:8080/", "a=b"),
            ("a=b; Secure; Path=/", "http://a.example/", nil),
            ("a=b; Domain=.a.example; Path=/", "https://a.example/", "a=b"),
            ("a=b; Domain=example; Path=/", "https://other.example/", nil),
            ("a=b; Domain=other.example; Path=/", "https://a.example/", nil),
            ("a=b; Max-Age=0; Path=/", "https://a.example/", nil),
            ("a=b; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "https://a.example/", nil),
            ("a=b; Path=/; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "https://a.example/", "a=b"),
            ("a=b; Path=/; Expires=Fri, 01 Jan 2100 00:00:00 GMT", "https://a.example/", "a=b"),
            ("a=; Path=/", "https://a.example/", "a="),
            (" a = b c ;Path=/", "https://a.example/", "a=b c"),
            ("nothing", "https://a.example/x/", nil),
            ("=b", "https://a.example/x/", nil),
            ("a=b\u{1}", "https://a.example/x/", nil),
        ] as [(String, String, String?)]
    )
    func scope(field: String, url: String, expected: String?) throws {
        var jar = CookieJar()
        jar.store([field], from: try DownloadURL("https://a.example/x/page"))
        #expect(jar.field(for: try DownloadURL(url)) == expected)
    }

    @Test("cookies are bounded in number and size, and a later one replaces an earlier one")
    func bounds() throws {
        let url = try DownloadURL("https://a.example/")
        var jar = CookieJar()
        jar.store((0..<500).map { "c\($0)=1" }, from: url)
        #expect(jar.field(for: url)?.split(separator: ";").count == 16)
        var large = CookieJar()
        large.store((0..<10).map { "c\($0)=\(String(repeating: "x", count: 1000))" }, from: url)
        #expect(large.field(for: url)?.split(separator: ";").count == 4)
        var one = CookieJar()
        one.store(["a=1", "a=2"], from: url)
        #expect(one.field(for: url) == "a=2")
    }

    @Test(
        "a site that redirects to itself until its cookie comes back delivers its picture; the next download begins without"
    )
    func demanded() async throws {
        let origin = try OriginServer { request in
            guard request.headers["cookie"] == "seen=1; b=2" else {
                var answer = OriginAnswer.redirect(to: "/")
                answer.headers += [("Set-Cookie", "seen=1; HttpOnly"), ("Set-Cookie", "b=2")]
                return answer
            }
            return .body([1, 2, 3])
        }
        defer { origin.stop() }
        let downloader = try Downloader(settings: .opening("127.0.0.1"))
        for _ in 0..<2 { #expect(try await downloader.fetch(origin.url()).bytes == [1, 2, 3]) }
        #expect(origin.requests.map { $0.headers["cookie"] } == [nil, "seen=1; b=2", nil, "seen=1; b=2"])
    }

    @Test("no cookie leaves its host, also not across a redirect between two rules, and a rule's own cookie stays")
    func rules() async throws {
        let second = try OriginServer(address: "127.0.0.2") { _ in .body([1, 2, 3]) }
        defer { second.stop() }
        let target = second.url("/b/")
        let first = try OriginServer { request in
            var answer = request.path == "/a/" ? OriginAnswer.redirect(to: "/a/next") : .redirect(to: target)
            answer.headers.append(("Set-Cookie", "stolen=1; Path=/"))
            return answer
        }
        defer { first.stop() }
        let settings = try DownloadSettings.with(
            try AccessRule(first.url("/a/"), name: "first", headers: ["Cookie": "own=1"]),
            try AccessRule(second.url("/b/"), name: "second", headers: ["Authorization": "hidden"]),
            opening: "127.0.0.1",
            "127.0.0.2",
        )
        #expect(try await Downloader(settings: settings).fetch(first.url("/a/")).bytes == [1, 2, 3])
        #expect(first.requests.map { $0.headers["cookie"] } == ["own=1", "own=1"])
        #expect(second.requests.map { $0.headers["cookie"] } == [nil])
        #expect(second.requests.map { $0.headers["authorization"] } == [nil])
    }

    @Test("what an origin sets for a rule's access does not outlast it, also on the same host")
    func afterRule() async throws {
        let origin = try OriginServer { request in
            guard request.path == "/a/" else { return .body([1, 2, 3]) }
            var answer = OriginAnswer.redirect(to: "/b/")
            answer.headers.append(("Set-Cookie", "session=hidden; Path=/"))
            return answer
        }
        defer { origin.stop() }
        let rule = try AccessRule(origin.url("/a/"), headers: ["Authorization": "hidden"])
        let settings = try DownloadSettings.with(rule, opening: "127.0.0.1")
        #expect(try await Downloader(settings: settings).fetch(origin.url("/a/")).bytes == [1, 2, 3])
        #expect(origin.requests.map { $0.headers["cookie"] } == [nil, nil])
        #expect(origin.requests.map { $0.headers["authorization"] } == ["hidden", nil])
    }
}
