import Media
import Testing

@testable import Downloads
@testable import HTTPClient

@Suite("The owner of an origin")
struct SiteTests {
    private func site(_ url: String, _ tenants: [TenantRule] = []) throws -> String {
        var rule = OriginRule()
        rule.tenants = tenants
        return rule.origin(of: try DownloadURL(url)).site.name
    }

    @Test(
        "a name counts by its registrable domain, an address by the block that registries assign",
        arguments: [
            ("https://a.b.evil.example/x", "evil.example"), ("http://evil.example:8080/", "evil.example"),
            ("https://EVIL.example./", "evil.example"), ("https://a.evil.co.uk/", "evil.co.uk"),
            ("https://one.github.io/", "one.github.io"), ("https://a.one.github.io/", "one.github.io"),
            // A public suffix, and a name without dots, stand for themselves.
            ("https://github.io/", "github.io"), ("http://localhost/", "localhost"),
            ("https://a.xn--bcher-kva.example/", "xn--bcher-kva.example"),
            ("http://192.0.2.7/", "192.0.2.0/24"), ("http://192.0.2.255:81/", "192.0.2.0/24"),
            ("http://[::ffff:192.0.2.9]/", "192.0.2.0/24"), ("http://3221225995/", "192.0.2.0/24"),
            ("http://[2a00:1:2:3::1]/", "2a00:1:2::/48"), ("http://[2a00:1:2:ffff:1:2:3:4]/", "2a00:1:2::/48"),
            ("http://[2a00:1:3::1]/", "2a00:1:3::/48"),
        ]
    )
    func owners(url: String, owner: String) throws {
        #expect(try site(url) == owner)
    }

    @Test("names of every length keep their registrable domain", arguments: 1...60)
    func lengths(length: Int) throws {
        let domain = String(repeating: "a", count: length) + ".example"
        for name in [domain, "w.\(domain)", "w.w.\(domain)"] {
            #expect(try site("https://\(name)/") == domain)
        }
    }

    @Test(
        "tenants of a shared host are told apart by their path, in any spelling",
        arguments: [
            ("https://shared.example/one/a.jpg", "shared.example/one"),
            ("https://shared.example//one/b.jpg?x=/two", "shared.example/one"),
            ("https://shared.example/%6Fne/b.jpg", "shared.example/one"),
            ("https://shared.example/One%2Fb.jpg", "shared.example/one"),
            ("https://shared.example/two/%2E%2e/one/b.jpg", "shared.example/one"),
            ("https://shared.example/v1/one/b.jpg", "shared.example/v1"),
            ("https://shared.example/", "shared.example/"),
            ("https://deep.example/v1/one/b.jpg", "deep.example/v1/one"),
            ("https://other.example/one/a.jpg", "other.example"),
        ]
    )
    func tenants(url: String, owner: String) throws {
        let rules = [
            TenantRule(match: "https://shared.example/*", segmentCount: 1),
            TenantRule(match: "https://deep.example/*", segmentCount: 2),
            TenantRule(match: "https://other.example/*", segmentCount: 0),
        ]
        #expect(try site(url, rules) == owner)
    }
}
