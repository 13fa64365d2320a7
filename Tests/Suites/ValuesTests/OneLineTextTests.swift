import Base
import Media
import Testing

@Suite("Untrusted texts on one line")
struct OneLineTextTests {
    @Test(
        "line breaks, terminal controls and direction changes are escaped",
        arguments: [
            ("a\nb", #"a\nb"#), ("a\r\nerror: b", #"a\r\nerror: b"#), ("\u{1B}[2J", #"\u{1B}[2J"#),
            ("\u{7F}\u{9B}", #"\u{7F}\u{009B}"#), ("\u{2028}\u{202E}", #"\u{2028}\u{202E}"#), ("tab\t", #"tab\t"#),
            ("Grüße, 世界 \"a\"", "Grüße, 世界 \"a\""),
        ],
    )
    func escaped(text: String, line: String) { #expect(text.onOneLine() == line) }

    @Test("a long text is truncated, and says so")
    func cut() {
        let line = String(repeating: "é\n", count: 100_000).onOneLine(limit: 100)
        #expect(line.utf8.count <= 103 && line.hasSuffix("…"))
        #expect("short".onOneLine(limit: 5) == "short")
    }
}
