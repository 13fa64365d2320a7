import Media
import Payloads
import Testing

@Suite("User-defined dialects")
struct DialectDefinitionTests {
    static let definition = DialectDefinition(
        name: "shop",
        url: ["/shop/media/*/href", "/shop~1image"],
        identifier: "/shop/media/*/id",
        type: "/shop/media/*/kind",
        typeForm: .mime,
    )

    func read(_ text: String) throws -> NotificationRequest {
        let dialects = [try Self.definition.dialect()] + Dialect.builtIn
        let reader = PayloadReader(dialects: dialects, makeIdentifier: Golden.countedIdentifiers())
        return try reader.read(Array(text.utf8), identifier: "n")
    }

    @Test("a user-defined dialect comes before the built-in ones, and its type field is rewritten")
    func found() throws {
        let request = try read(
            #"{"aps":{"alert":"Hi","mutable-content":1},"my-attachment":"https://a.example/0","#
                + #""shop":{"media":[{"href":"https://a.example/1","id":"x","kind":"webp"},{"href":"https://a.example/2"}]}}"#
        )
        #expect(request.attachments.map(\.dialect) == ["shop", "shop"])
        #expect(request.attachments.map(\.identifier) == ["x", "generated-1"])
        let ready = DeliveredAttachment(identifier: "x", url: "https://b.example/1", format: .png)
        let written = PayloadWriter().write(request, attachments: [0: ready])
        #expect(
            written.payload["shop"]?.compactText
                == #"{"media":[{"href":"https://b.example/1","id":"x","kind":"image/png"},{"href":"https://a.example/2"}]}"#
        )
    }

    @Test("each wildcard of another pointer matches the same element as the URL's wildcard of that rank")
    func wildcards() throws {
        let dialect = try DialectDefinition(name: "shop", url: ["/*/m/*/u"], identifier: "/*/n/*").dialect()
        let text =
            #"{"aps":{"alert":"Hi","mutable-content":1},"a":{"m":[{"u":"1"},{"u":"2"}],"n":["i","j"]},"#
            + #""1":{"m":[{},{"u":"3"}],"n":["k","l"]}}"#
        let request = try PayloadReader(dialects: [dialect]).read(Array(text.utf8), identifier: "n")
        #expect(request.attachments.map(\.url) == ["1", "2", "3"])
        #expect(request.attachments.map(\.identifier) == ["i", "j", "l"])
    }

    @Test("its second pointer is used if the first leads to nothing")
    func second() throws {
        let request = try read(
            #"{"aps":{"alert":"Hi","mutable-content":1},"shop":{"media":[]},"shop/image":"https://a.example/3"}"#
        )
        #expect(request.attachments.map(\.url) == ["https://a.example/3"])
    }

    @Test(
        "an unusable definition is refused, and the error names it",
        arguments: [
            DialectDefinition(name: "", url: ["/a"]), DialectDefinition(name: "shop", url: []),
            DialectDefinition(name: "shop", url: ["a"]), DialectDefinition(name: "shop", url: ["/a"], type: "/~"),
            DialectDefinition(name: "shop", url: ["/a"], identifier: "x"),
        ]
    )
    func refused(definition: DialectDefinition) {
        #expect { try definition.dialect() } throws: { "\($0)".hasPrefix("Dialect \"\(definition.name)\": ") }
    }

    @Test(
        "a type field keeps its form",
        arguments: [("jpg", "png"), ("image/jpeg", "image/png"), ("public.jpeg", "public.png"), ("image", "image")]
    )
    func sameForm(old: String, new: String) throws {
        let dialect = try DialectDefinition(name: "shop", url: ["/u"], type: "/t").dialect()
        let text = #"{"aps":{"alert":"Hi","mutable-content":1},"u":"https://a.example/1","t":"\#(old)"}"#
        let request = try PayloadReader(dialects: [dialect]).read(Array(text.utf8), identifier: "n")
        let ready = DeliveredAttachment(identifier: "x", url: "https://b.example/1", format: .png)
        #expect(PayloadWriter().write(request, attachments: [0: ready]).payload["t"] == .string(new))
    }
}
