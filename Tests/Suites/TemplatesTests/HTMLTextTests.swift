import Mustache
import Templates
import Testing

@Suite("HTML templates")
struct HTMLTextTests {
    @Test(
        "no part of a text is markup, even with combining marks",
        arguments: ["<", ">", "\"", "'", "&"],
        ["", "\u{301}", "\u{600}", "\u{200D}", "\u{FE0F}"],
    )
    func escapes(character: String, mark: String) throws {
        for text in [character + mark, mark + character] {
            let page = try HTMLText.template("{{text}}").render(["text": text])
            #expect(!page.unicodeScalars.contains { "<>\"'".unicodeScalars.contains($0) })
            #expect(page.unicodeScalars.count { $0 == "&" } == 1)
        }
    }

    @Test("a template adds nothing of its own, and raw text stays unchanged")
    func plain() throws {
        #expect(try HTMLText.template("<?xml?>\n{{{raw}}}").render(["raw": "<b>"]) == "<?xml?>\n<b>")
    }
}
