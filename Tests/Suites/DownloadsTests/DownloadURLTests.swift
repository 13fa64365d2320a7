import Media
import Testing

@testable import Downloads
@testable import HTTPClient

@Suite("URLs to download")
struct DownloadURLTests {
    private func problem(_ text: String) -> DownloadURL.ParseError? {
        do throws(DownloadURL.ParseError) {
            _ = try DownloadURL(text)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "a URL is normalised, and its parts are known",
        arguments: [
            ("https://cdn.example.com/a.jpg", "https://cdn.example.com/a.jpg", "cdn.example.com", 443),
            ("HTTP://example.com:8080", "http://example.com:8080/", "example.com", 8080),
            ("https://example.com/a b?q=ü", "https://example.com/a%20b?q=%c3%bc", "example.com", 443),
            ("http://[2001:db8::1]/", "http://[2001:db8::1]/", "2001:db8::1", 80),
            ("http://2130706433/", "http://127.0.0.1/", "127.0.0.1", 80),
            ("http://0177.0.0.1/", "http://127.0.0.1/", "127.0.0.1", 80),
            ("http://0x7f.1/", "http://127.0.0.1/", "127.0.0.1", 80),
            ("http://%30x7f.1/", "http://127.0.0.1/", "127.0.0.1", 80),
            ("http:/%33", "http://0.0.0.3/", "0.0.0.3", 80),
        ],
    )
    func parts(text: String, normal: String, host: String, port: Int) throws {
        let url = try DownloadURL(text)
        #expect(url.text == normal)
        #expect(url.host == host)
        #expect(url.port == port)
    }

    @Test(
        "a text that cannot be a URL of media is refused, and the message says why",
        arguments: [
            ("", "it does not begin with https:// or http://"),
            ("cdn.example.com/a.jpg", "it does not begin with https:// or http://"),
            ("https://", "it has no host"),
            ("https://?a", "it has no host"),
            ("https://user@example.com/", "it carries a user name or password"),
            ("https://user:password@example.com/", "it carries a user name or password"),
            ("https://example.com@127.0.0.1/", "it carries a user name or password"),
            ("https://@example.com/", "it carries a user name or password"),
            ("http://[fe80::1%25eth0]/", "its address has a zone"),
            ("http://[fe80::1%eth0]/", "its address has a zone"),
            ("https://example.com:99999/", "it is malformed"),
            ("https://exa\r\nmple.com/", "it is malformed"),
            ("https://example.com/\0.jpg", "it holds a NUL"),
            ("https://example.com\0.evil.example/", "it holds a NUL"),
            ("https://example.com/" + String(repeating: "a", count: 4096), "it is longer than 4096 bytes"),
        ],
    )
    func invalid(text: String, message: String) {
        #expect(problem(text) == .invalid(message))
    }

    @Test(
        "other schemes are refused",
        arguments: [
            "file:///etc/hostname", "ftp://example.com/a.jpg", "gopher://example.com:6379/_INFO", "dict://example.com/",
            "scp://example.com/a", "smb://example.com/a", "ws://example.com/", "attachd://example.com/",
        ],
    )
    func schemes(text: String) { #expect(problem(text)?.reason == .refusedScheme) }

    @Test(
        "a redirect is resolved against the URL that answered",
        arguments: [
            ("/b.png", "https://example.com/b.png"), ("b.png", "https://example.com/x/b.png"),
            ("../b.png?c", "https://example.com/b.png?c"), ("//other.example/b", "https://other.example/b"),
            ("https://other.example", "https://other.example/"), ("a b", "https://example.com/x/a%20b"),
        ],
    )
    func resolving(location: String, target: String) throws {
        #expect(try DownloadURL("https://example.com/x/a.png").resolving(location).text == target)
    }

    @Test("a redirect may lead from http to https, and never back")
    func downgrade() throws {
        #expect(try DownloadURL("http://example.com/").resolving("https://example.com/").scheme == "https")
        #expect(throws: DownloadURL.ParseError.self) {
            try DownloadURL("https://example.com/").resolving("http://example.com/")
        }
    }

    @Test("a message never quotes the URL")
    func secrets() throws {
        let url = "https://user:hunter2@example.com/?token=hunter2"
        let problem = try #require(self.problem(url))
        #expect(!problem.failure(redirectedBy: nil).message.contains("hunter2"))
        #expect(!problem.failure(redirectedBy: "cdn.example.com").message.contains("hunter2"))
    }
}
