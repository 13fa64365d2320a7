import Payloads
import Testing

@Suite("Media in a body in which nothing fits")
struct MediaPlacesTests {
    private static func places(_ text: String) throws -> MediaPlaces {
        MediaPlaces(in: try JSONValue(parsing: Array(text.utf8)))
    }

    @Test(
        "a URL of media is one by its extension, or by its key",
        arguments: [
            (#"{"a":{"b":"https://e.co/x.JPG?s=1"}}"#, ["/a/b"]), (#"{"heroImage":"https://e.co/x"}"#, ["/heroImage"]),
            (#"{"link":"https://e.co/x"}"#, []), (#"{"image":"/x.jpg"}"#, []), (#"{"image":"ftp://e.co/x.jpg"}"#, []),
            (#"{"l":[{"u":"https://e.co/1.mp4"},{"u":"https://e.co/2.mp4"}]}"#, ["/l/*/u"]),
            (#"{"a/b~c":"https://e.co/x.png"}"#, ["/a~1b~0c"]), (#"{"image":{"x":["https://e.co/x"]}}"#, []),
            (#"["https://e.co/x.gif"]"#, ["/*"]),
        ]
    )
    func found(text: String, patterns: [String]) throws {
        #expect(try Self.places(text).places.map(\.pattern) == patterns)
    }

    @Test("a URL inside a JSON string is found there, and shown without what may be secret")
    func inside() throws {
        let places = try Self.places(
            #"{"m":{"b":"{\"hero\":{\"src\":\"https://u:p@e.co:8443/x.jpg?token=secret#f\"}}"}}"#
        )
        #expect(places.places.map(\.string) == ["/m/b"] && places.places.map(\.pattern) == ["/hero/src"])
        #expect(places.places.map(\.url) == ["https://e.co/x.jpg"] && !places.description.contains("secret"))
    }

    @Test("the lines of configuration name the gate only where there is no push payload")
    func configuration() throws {
        #expect(
            try Self.places(#"{"a\"b":"https://e.co/x.jpg","m":"{\"i\":\"https://e.co/y.jpg\"}"}"#).configuration == """
                dialects:
                  my-service:
                    gate: none
                    url: ["/a\\"b"]
                  my-service-2:
                    string: "/m"
                    gate: none
                    url: ["/i"]
                """
        )
        #expect(
            try Self.places(#"{"aps":{},"pic":"https://e.co/x.jpg"}"#).configuration == """
                dialects:
                  my-service:
                    url: ["/pic"]
                """
        )
    }

    @Test("the dialect that is proposed finds the URL")
    func proposal() throws {
        let text = #"{"event":{"data":[{"photo":"https://e.co/x"}]}}"#
        let place = try #require(try Self.places(text).places.first)
        let dialect = try DialectDefinition(name: "my-service", url: [place.pattern], gate: .none).dialect()
        let request = try PayloadReader(dialects: [dialect]).read(Array(text.utf8), identifier: "n")
        #expect(request.attachments.map(\.pointers.url.description) == ["/event/data/0/photo"])
    }

    @Test("the error of a body that fits nothing lists them, at most 16")
    func error() throws {
        let members = (0..<40).map { #""image\#($0)":"https://e.co/\#($0)""# }.joined(separator: ",")
        #expect {
            try PayloadReader().read(Array("{\(members)}".utf8), identifier: "n")
        } throws: { error in
            "\(error)".contains("/image0: https://e.co/0; /image1: ")
                && "\(error)".contains("dialects: {my-service: {gate: none, url: [\"/image0\", ")
                && !"\(error)".contains("image16")
        }
        #expect { try PayloadReader().read(Array(#"{"a":1}"#.utf8), identifier: "n") } throws: {
            !"\($0)".contains("my-service")
        }
    }
}
