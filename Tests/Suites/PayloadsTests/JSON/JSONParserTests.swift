import Payloads
import Testing

@Suite("Reading and writing JSON")
struct JSONParserTests {
    @Test(
        "a value is written as it was read",
        arguments: [
            "null", "true", "false", "0", "-0", "-1", "1.50", "1e5", "1E+05", "-0.0e-0", "9007199254740993",
            "18446744073709551615", "3.141592653589793238462643383279", "\"\"", "\"a/b\"", "[]", "{}", "[[],[{}]]",
            #"{"b":1,"a":2,"b":3,"":null}"#, #""\"\\\n\r\t\u0000\u001f""#, #""é\#u{1F600}\#u{2028}\#u{7F}""#,
        ]
    )
    func roundTrip(text: String) throws {
        #expect(try JSONValue(parsing: Array(text.utf8)).compactText.utf8.elementsEqual(text.utf8))
    }

    @Test(
        "needless escapes become the character itself",
        arguments: [
            (#""\/\u0041\u00e9\b\f""#, "/Aé\u{8}\u{C}"), (#""\ud83d\uDE00""#, "\u{1F600}"),
            (#""\uFFFF\udbff\udfff""#, "\u{FFFF}\u{10FFFF}"),
        ]
    )
    func escapes(text: String, value: String) throws {
        #expect(try JSONValue(parsing: Array(text.utf8)) == .string(value))
    }

    @Test("whitespace between tokens is skipped")
    func whitespace() throws {
        let value = try JSONValue(parsing: Array(" \r\n\t{ \"a\" : [ 1 , 2 ] } \n".utf8))
        #expect(value == ["a": [1, 2]])
    }

    @Test(
        "JSON that RFC 8259 does not allow is refused",
        arguments: [
            "", " ", "{", "[", "[1", "[1,", "[1,]", "[,]", "{,}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
            "{'a':1}",
            "01", "-", "-01", "1.", ".5", "+1", "1e", "1e+", "0x10", "NaN", "Infinity", "tru", "True", "nul", "\"",
            "\"\\",
            "\"\\u12", "\"\\u12G4\"", "\"\\u+123\"", "\"\\x\"", "\"a\nb\"", "\"\u{0}\"", "1 2", "{}x", "[] //", "/**/1",
            "\"\\ud800\\u00\"", "\"\\ud800\\x\"", "\"\\ud800", "\"\\udc0\"", "\u{FEFF}1", "]", "}",
        ]
    )
    func refused(text: String) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: Array(text.utf8)) }
    }

    @Test(
        "invalid UTF-8 is refused",
        arguments: [[0xFF], [0xC0, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]]
    )
    func invalidUTF8(bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22] + bytes + [0x22]) }
    }

    @Test("an error gives its position and a remedy")
    func position() throws {
        let error = try #require(throws: JSONError.self) {
            try JSONValue(parsing: Array("{\n  \"a\": 1,\n  \"b\" 2\n}".utf8))
        }
        #expect(error.offset == 18)
        #expect(error.description == "line 3, column 7: A colon is expected after the key.")
    }

    @Test("nesting is accepted up to the limit and refused beyond it", arguments: [("[", "]"), ("{\"a\":", "}")])
    func depth(open: String, close: String) throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)).utf8)
        }
        let deepest = nested(JSONValue.depthLimit)
        #expect(try JSONValue(parsing: deepest).compactBytes == deepest)
        #expect(throws: JSONError.self) { try JSONValue(parsing: nested(JSONValue.depthLimit + 1)) }
        #expect(throws: JSONError.self) { try JSONValue(parsing: nested(60_000)) }
    }

    @Test("a text that is truncated anywhere is refused")
    func truncated() {
        let text = Array(#"{"a":[1.5e3,true,null,"\ud83d\ude00é"],"b":{}}"#.utf8)
        for count in text.indices {
            #expect(throws: JSONError.self) { try JSONValue(parsing: Array(text.prefix(count))) }
        }
    }

    @Test("texts that differ only in their Unicode composition are not equal")
    func exactEquality() {
        #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
        #expect(["\u{E9}": 1] as JSONValue != ["e\u{301}": 1])
        #expect((["\u{E9}": 1] as JSONValue)["e\u{301}"] == nil)
        #expect(JSONValue.number("1.0") != .number("1"))
    }

    @Test(
        "a surrogate without its pair is kept as it was written, in a string and in a key",
        arguments: [
            #""\ud800""#, #""\uD800x""#, #""\ud800\n""#, #""\ud800\u0041""#, #""\udc00""#, #""é\udfff""#,
            #""\ud800\ud83d\ude00""#, #"{"\ud800":1,"\ud801":2,"a":"\udc00"}"#, #"["\ude00\ud83d"]"#,
        ],
    )
    func unpaired(text: String) throws {
        let value = try JSONValue(parsing: Array(text.utf8))
        #expect(value.compactText == text)
        #expect(try JSONValue(parsing: value.compactBytes) == value)
        #expect(value["\u{FFFD}"] == nil && value.text == nil)
    }

    @Test("a number that is too large for a Double is not infinite", arguments: ["1e400", "-1e400", "1e99999999999"])
    func infinite(text: String) throws {
        #expect(try JSONValue(parsing: Array(text.utf8)).double == nil)
    }
}
