import Payloads
import Preview
import Testing

@Suite("A category's layout")
struct LayoutTemplateTests {
    private func page(_ layout: String, _ content: JSONValue) throws -> String {
        try LayoutTemplate(layout).page(LayoutContent(content), nonce: "n").replacing("\n", with: "")
    }

    @Test("has the content's fields, the rest of the payload, and the attachments")
    func fields() throws {
        let content: JSONValue = [
            "title": "T", "userInfo": ["location": "L", "empty": "", "count": 2, "flag": true],
            "attachments": [["url": "/a.jpg"], ["url": "/b.jpg"]],
        ]
        let layout =
            "{{title}}|{{userInfo.location}}|{{userInfo.count}}|{{#userInfo.empty}}no{{/userInfo.empty}}"
            + "{{#userInfo.flag}}yes{{/userInfo.flag}}|{{#attachments}}{{url}};{{/attachments}}|{{nonce}}|{{missing}}"
        #expect(try page(layout, content) == "T|L|2|yes|/a.jpg;/b.jpg;|n|")
    }

    @Test(
        "escapes every field, whatever characters are next to it",
        arguments: [
            ("<b>", "&lt;b&gt;"), ("\"'&", "&quot;&#39;&amp;"), ("\"\u{301}x", "&quot;\u{301}x"),
            ("\u{600}<script>", "\u{600}&lt;script&gt;"), ("<\u{200D}>", "&lt;\u{200D}&gt;"), ("a\0b", "a\u{FFFD}b"),
            ("{{title}}", "{{title}}"), ("a\r\nb", "a&#13;b"), ("👩‍🚀🇳🇴", "👩‍🚀🇳🇴"),
        ]
    )
    func escaping(text: String, escaped: String) throws {
        let page = try page("<p title=\"{{body}}\">", ["body": .string(text)])
        #expect(page.unicodeScalars.elementsEqual("<p title=\"\(escaped)\">".unicodeScalars), "\(page)")
    }

    @Test(
        "is refused if a field could appear unescaped, or it is not a template",
        arguments: [
            "{{{title}}}", "{{& title}}", "{{ &title}}", "{{> other}}", "{{=<% %>=}}", "{{% CONTENT_TYPE:TEXT}}",
            "{{$block}}{{/block}}", "{{#title}}", "{{title",
        ]
    )
    func refusals(layout: String) {
        #expect(throws: CategoryFileError.self) { try LayoutTemplate(layout) }
    }
}
