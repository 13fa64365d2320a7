import Media
import Testing

@testable import Downloads
@testable import HTTPClient

/// Tests of the URLs that a rule with access is for. Everything else is fetched without its secrets (SECURITY N12).
@Suite("Places of sources that need a key")
struct SourcePlaceTests {
    @Test(
        "a URL is in a place only if its server reads it so, in whatever way",
        arguments: [
            ("https://media.example/", "https://media.example/a.jpg", true),
            ("https://media.example/", "https://media.example", true),
            ("https://media.example/", "https://media.example/a/%2e%2e/b", true),
            ("https://media.example/", "https://MEDIA.Example/a.jpg", true),
            ("https://media.example/", "https://media.example:443/a.jpg", true),
            ("https://media.example:443/", "https://media.example/a.jpg", true),
            ("https://media.example/", "HTTPS://media.example/a.jpg", true),
            ("https://media.example/", "https://media%2eexample/a.jpg", true),
            // Another origin.
            ("https://media.example/", "http://media.example/a.jpg", false),
            ("https://media.example/", "https://media.example:8443/a.jpg", false),
            ("https://media.example/", "https://media.example./a.jpg", false),
            ("https://media.example/", "https://a.media.example/a.jpg", false),
            ("https://media.example/", "https://media.example.evil/a.jpg", false),
            ("https://media.example/", "https://evil.example/https://media.example/a.jpg", false),
            ("https://media.example/", "https://evil.example/?https://media.example/", false),
            ("https://media.example/", "https://evil.example#media.example/", false),
            // The folder.
            ("https://media.example/a/", "https://media.example/a/b.jpg", true),
            ("https://media.example/a/*", "https://media.example/a/b.jpg?x=/../", true),
            ("https://media.example/a/", "https://media.example/a/b%20c/%C3%A4.jpg", true),
            ("https://media.example/v0/b/o/", "https://media.example/v0/b/o/images%2Fa.jpg?alt=media", true),
            ("https://media.example/a/", "https://media.example/a/b/../c.jpg", true),
            ("https://media.example/a/", "https://media.example/a/b/%2e%2e/c.jpg", true),
            ("https://media.example/a/", "https://media.example/a", false),
            ("https://media.example/a/", "https://media.example/ab/c.jpg", false),
            ("https://media.example/a/", "https://media.example/A/c.jpg", false),
            ("https://media.example/a/", "https://media.example/%61/c.jpg", false),
            ("https://media.example/a/", "https://media.example//a/c.jpg", false),
            ("https://media.example/a/", "https://media.example/a/../b.jpg", false),
            ("https://media.example/a/", "https://media.example/a/%2e%2e/b.jpg", false),
            ("https://media.example/a/", "https://media.example/a/.%2E/b.jpg", false),
            ("https://media.example/a/", "https://media.example/a/%252e%252e/b.jpg", false),
            ("https://media.example/a/", "https://media.example/a/%25252e%25252e/b.jpg", false),
            ("https://media.example/a/", "https://media.example/a/..%2fb.jpg", false),
            ("https://media.example/a/", "https://media.example/a/..%5cb.jpg", false),
            ("https://media.example/a/", #"https://media.example/a/..\b.jpg"#, false),
            ("https://media.example/a/", "https://media.example/a/..;/b.jpg", false),
            ("https://media.example/a/", "https://media.example/a/..%3bx/b.jpg", false),
            ("https://media.example/a/", "https://media.example/a//%2e%2e/%2e%2e/b.jpg", false),
            ("https://media.example/a/", "https://media.example/a/%2e%2e/a/b.jpg", false),
            ("https://media.example/a/", "https://media.example/a/%c0%ae%c0%ae/b.jpg", false),
            ("https://media.example/a/", "https://media.example/a/%00/b.jpg", false),
            ("https://media.example/a/b/", "https://media.example/a/b/%2e%2e/b/c.jpg", false),
            // For Swift, a slash with a combining accent is one other character. For a server it is a slash.
            ("https://media.example/a/", "https://media.example/a/%2e%2e/%cc%81b.jpg", false),
            ("https://media.example/a/", "https://media.example/a/..%5c%cc%81b.jpg", false),
            // Addresses.
            ("https://[fd00::7]/", "https://[fd00:0:0::7]/a.jpg", true),
            ("https://[fd00::7]:8443/", "https://[fd00::7]/a.jpg", false),
            ("http://10.0.0.7/", "http://0x0a000007/a.jpg", true),
            ("http://10.0.0.7/", "http://[::ffff:10.0.0.7]/a.jpg", false),
        ],
    )
    func contains(place: String, url: String, isThere: Bool) throws {
        #expect(try SourcePlace(place).contains(DownloadURL(url)) == isThere)
    }

    @Test("a URL with a user never gets as far as a rule")
    func user() throws {
        #expect(throws: DownloadURL.ParseError.self) { try DownloadURL("https://media.example@evil.example/a.jpg") }
        #expect(throws: DownloadURL.ParseError.self) { try DownloadURL("https://a:b@media.example/a.jpg") }
    }

    @Test(
        "a place that could be read in two ways is refused",
        arguments: [
            "https://media.example", "https://media.example/a", "https://*.example/", "https://media.example/*/",
            "https://media.example/a/**", "https://media.example/?a=/", "https://media.example/#/", "media.example/",
            "https://a:b@media.example/", "ftp://media.example/", "https://media.example/%61/",
            "https://media.example/a;b/", "https://media.example//a/", "https://media.example/a//", "",
            #"https://media.example\a/"#,
        ]
    )
    func refused(place: String) {
        #expect(throws: SourcePlace.ParseError.self) { try SourcePlace(place) }
    }

    @Test(
        "a rule that leaves nothing to a later one hides it",
        arguments: [
            ("https://a.example/", "https://a.example/b/", true), ("https://a.example/b/", "https://a.example/", false),
            ("https://a.example/b/", "https://a.example/b/", true),
            ("https://a.example/b/", "https://a.example/bc/", false),
            ("https://a.example/", "http://a.example/", false),
        ]
    )
    func hides(first: String, second: String, isHidden: Bool) throws {
        #expect(try AccessRule(first).hides(AccessRule(second)) == isHidden)
        let pattern = AccessRule(name: "pattern", match: .pattern(first + "*"))
        #expect(try pattern.hides(AccessRule(second)) == isHidden)
    }
}
