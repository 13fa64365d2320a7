import Base
import Media
import Testing

@testable import Processing

@Suite("URLs of the same source")
struct SourceRuleTests {
    static let rules = [
        SourceRule(match: "https://cdn.example/public/*", ignoredQuery: ["*"]),
        SourceRule(match: "https://cdn.example/*", ignoredQuery: ["X-Amz-*", "Signature", "Expires"]),
        SourceRule(match: "https://*.example/img/*.jpg", ignoredQuery: ["token"]),
    ]

    @Test(
        "the parts that the first matching rule ignores don't count",
        arguments: [
            ("https://cdn.example/a.jpg?Expires=1&w=2&Signature=x%3D", "https://cdn.example/a.jpg?w=2"),
            ("https://cdn.example/a.jpg?X-Amz-Date=1&X-Amz-Signature=2", "https://cdn.example/a.jpg"),
            ("https://cdn.example/a.jpg?X-AmzDate=1", "https://cdn.example/a.jpg?X-AmzDate=1"),
            ("https://cdn.example/a.jpg?Signature&Signatures=1", "https://cdn.example/a.jpg?Signatures=1"),
            ("https://cdn.example/a.jpg", "https://cdn.example/a.jpg"),
            ("https://cdn.example/public/a.jpg?anything=1&more", "https://cdn.example/public/a.jpg"),
            ("https://a.b.example/img/x.jpg?token=1&v=2", "https://a.b.example/img/x.jpg?v=2"),
            // No rule matches these.
            ("https://a.example/img/x.png?token=1", "https://a.example/img/x.png?token=1"),
            ("https://cdn.example.evil/a.jpg?Signature=1", "https://cdn.example.evil/a.jpg?Signature=1"),
            (
                "https://evil.com/?https://cdn.example/a.jpg&Signature=1",
                "https://evil.com/?https://cdn.example/a.jpg&Signature=1"
            ),
            // A fragment isn't sent.
            ("https://other.com/a.jpg?x=1#top", "https://other.com/a.jpg?x=1"),
        ],
    )
    func sources(url: String, source: String) {
        #expect(SourceResolver(rules: Self.rules).source(of: url).identity == source)
    }

    @Test(
        "a * matches any characters, at any position",
        arguments: [
            ("", "", true), ("", "*", true), ("abc", "*", true), ("abc", "a*c", true), ("ac", "a*c", true),
            ("abcbc", "a*bc", true), ("abcbd", "a*bc", false), ("aXbYc", "a*b*c", true), ("ab", "a*b*c", false),
            ("abc", "abc*", true), ("abc", "ab", false), ("ab", "abc", false), ("a*c", "a*c", true),
        ],
    )
    func wildcards(text: String, pattern: String, matches: Bool) {
        #expect(Wildcard.matches(text[...].utf8, pattern.utf8) == matches)
    }

    @Test("a pattern that is designed to be slow isn't")
    func hostile() {
        let text = String(repeating: "a", count: 4000)
        let pattern = String(repeating: "*a", count: 100) + "b"
        #expect(!Wildcard.matches(text[...].utf8, pattern.utf8))
    }
}
