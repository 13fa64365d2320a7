import Payloads
import Testing

@Suite("JSON pointers")
struct JSONPointerTests {
    /// The document of RFC 6901, section 5.
    static let document: JSONValue = [
        "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8,
    ]

    @Test(
        "the examples of RFC 6901 are found",
        arguments: [
            ("", document), ("/foo", ["bar", "baz"]), ("/foo/0", "bar"), ("/", 0), ("/a~1b", 1), ("/c%d", 2),
            ("/e^f", 3),
            ("/g|h", 4), ("/i\\j", 5), ("/k\"l", 6), ("/ ", 7), ("/m~0n", 8),
        ] as [(String, JSONValue)]
    )
    func examples(text: String, value: JSONValue) throws {
        let pointer = try JSONPointer(text)
        #expect(Self.document.value(at: pointer) == value)
        #expect(pointer.description == text)
    }

    @Test("a missing value is not found", arguments: ["/bar", "/foo/2", "/foo/-", "/foo/00", "/foo/+1", "/foo/0/x"])
    func absent(text: String) throws {
        #expect(Self.document.value(at: try JSONPointer(text)) == nil)
    }

    @Test("a malformed pointer is refused", arguments: ["foo", "#/foo", "/a~", "/a~2"])
    func refused(text: String) {
        #expect(throws: JSONPointerError.self) { try JSONPointer(text) }
    }

    @Test("a replacement changes one value and keeps the rest in order")
    func replace() throws {
        var value = try JSONValue(parsing: Array(#"{"z":1,"a":[{"b":1.50},null],"z":2}"#.utf8))
        let pointers = [try JSONPointer("/a/0/b"), try JSONPointer("/z")]
        for pointer in pointers { value.set(at: pointer, to: "x") }
        #expect(value.compactText == #"{"z":1,"a":[{"b":"x"},null],"z":"x"}"#)
    }

    @Test("a value is set as a new member only if its object exists")
    func set() throws {
        var value: JSONValue = ["a": ["b": 1]]
        let isSet = value.set(at: try JSONPointer("/a/c"), to: 2)
        #expect(isSet)
        for absent in ["/x/c", "/a/b/c", "/a/x/y"] {
            let isSet = value.set(at: try JSONPointer(absent), to: 2)
            #expect(!isSet)
        }
        #expect(value == ["a": ["b": 1, "c": 2]])
    }
}
