import Testing

@testable import Payloads

@Suite("URLs as the linter reads them")
struct LintedURLTests {
    @Test(
        "the extension is that of the path or of a filename in the query",
        arguments: [
            ("https://a.example/b/c.JPG?x=1.png#f.gif", "jpg"), ("https://a.example/get?filename=c.png", "png"),
            ("https://a.example/c.jpg/", nil), ("https://a.example", nil), ("https://a.example/.jpg", nil),
            ("https://a.example/c.longer", nil), ("https://a.example/v1.2/c", nil), ("c.jpg", "jpg"), ("", nil),
        ] as [(String, String?)]
    )
    func filenameExtension(url: String, expected: String?) {
        #expect(LintedURL(url).filenameExtension == expected)
    }

    @Test(
        "hosts of the phone itself and of private networks are local",
        arguments: [
            ("http://127.0.0.1:8099/a", true), ("http://localhost/a", true), ("https://hub.local/a", true),
            ("http://10.1.2.3/a", true), ("http://172.16.0.1/a", true), ("http://172.32.0.1/a", false),
            ("http://192.168.1.1/a", true), ("http://169.254.1.1/a", true), ("http://[::1]:80/a", true),
            ("http://[fd00::1]/a", true), ("http://[2001:db8::1]/a", false), ("http://user@10.0.0.1/a", true),
            ("https://10.example.com/a", false), ("http://8.8.8.8/a", false), ("http://999.1.1.1/a", false),
        ]
    )
    func local(url: String, isLocal: Bool) {
        #expect(LintedURL(url).isLocal == isLocal)
    }

    @Test(
        "dates are ISO 8601 in UTC, and nothing else is one",
        arguments: [
            ("19700101T000000Z", 0), ("20261122T230000Z", 1_795_388_400), ("2026-11-22T23:00:00Z", 1_795_388_400),
            ("2026-11-22T23:00Z", 1_795_388_400), ("2026-11-22T23:00:00.1234567Z", 1_795_388_400),
            ("2026-11-22", 1_795_305_600), ("2024-02-29", 1_709_164_800), ("2026-13-01", nil), ("2026-1-2", nil),
            ("soon", nil),
            ("2026-11-22T23:00:00", nil), ("2026-11-22T23:00:00+01:00", nil), ("", nil),
        ] as [(String, Int?)]
    )
    func time(text: String, expected: Int?) {
        #expect(LintedURL.time(text) == expected)
    }

    @Test(
        "an expiry needs a signature, and every part of it",
        arguments: [
            ("X-Amz-Date=20261122T230000Z&X-Amz-Expires=60", 1_795_388_460), ("X-Amz-Date=20261122T230000Z", nil),
            ("X-Amz-Date=20261122T230000Z&X-Amz-Expires=99999999999999999999", nil),
            ("x-goog-date=20261122T230000Z&x-goog-expires=0", 1_795_388_400), ("se=2026-11-22&sig=a", 1_795_305_600),
            ("se=2026-11-22", nil), ("Expires=100&Signature=a", 100), ("Expires=100", nil),
            ("Expires=soon&Signature=a", nil),
        ] as [(String, Int?)]
    )
    func expiry(query: String, expected: Int?) {
        #expect(LintedURL("https://a.example/a.jpg?\(query)").expiry?.time == expected)
    }

    @Test(
        "a URL has characters that must be encoded, or not",
        arguments: [
            ("https://a.example/a%20b.jpg?x=[1]&y='2'", false), ("https://a.example/a b.jpg", true),
            ("https://a.example/ä.jpg", true), ("https://a.example/{size}.jpg", true), ("https://a.example/\n", true),
        ]
    )
    func characters(url: String, isUnencoded: Bool) {
        #expect(LintedURL(url).hasUnencodedCharacters == isUnencoded)
    }
}
