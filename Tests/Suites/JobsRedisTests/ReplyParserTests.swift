import JobsRedis
import Testing

@Suite("Redis's replies")
struct ReplyParserTests {
    static let samples: [(String, RedisReply)] = [
        ("+OK\r\n", .status("OK")),
        ("-NOSCRIPT No matching script.\r\n", .error("NOSCRIPT No matching script.")),
        (":-42\r\n", .integer(-42)),
        ("$5\r\na\r\nbc\r\n", .bytes(Array("a\r\nbc".utf8))),
        ("$0\r\n\r\n", .bytes([])),
        ("$-1\r\n", .null),
        ("*-1\r\n", .null),
        ("*0\r\n", .array([])),
        ("+\r\n", .status("")),
        (
            "*3\r\n:1\r\n*2\r\n$1\r\nx\r\n*0\r\n$-1\r\n",
            .array([.integer(1), .array([.bytes([120]), .array([])]), .null])
        ),
    ]

    @Test("a reply is read whole, whatever the size of its pieces", arguments: 1...7)
    func pieces(size: Int) throws {
        let bytes = Self.samples.flatMap { Array($0.0.utf8) }
        var parser = ReplyParser()
        var replies: [RedisReply] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            parser.feed(bytes[start..<min(start + size, bytes.count)])
            while let reply = try parser.next() { replies.append(reply) }
        }
        #expect(replies == Self.samples.map(\.1))
    }

    @Test("several replies in one piece are read in order, and an incomplete one waits")
    func pipeline() throws {
        var parser = ReplyParser()
        parser.feed("+A\r\n+B\r\n*2\r\n+C\r\n".utf8)
        #expect(try parser.next() == .status("A"))
        #expect(try parser.next() == .status("B"))
        #expect(try parser.next() == nil)
        parser.feed("+D\r\n".utf8)
        #expect(try parser.next() == .array([.status("C"), .status("D")]))
    }

    @Test(
        "an invalid reply is refused",
        arguments: [
            ("H", ReplyParser.ParseError.unknownType(72)),
            ("\r\n", .unknownType(13)),
            ("\n", .unknownType(10)),
            ("+OK\n", .malformed),
            (":12a\r\n", .malformed),
            (":\r\n", .malformed),
            (":99999999999999999999\r\n", .malformed),
            ("$-2\r\n", .malformed),
            ("$3\r\nabcde\r\n", .malformed),
            ("*-7\r\n", .malformed),
            ("$9223372036854775807\r\n", .tooLarge),
            ("*9223372036854775807\r\n", .tooLarge),
            ("*1000\r\n", .tooLarge),
            (String(repeating: "*1\r\n", count: 20), .tooDeep),
            (String(repeating: "+", count: 5000), .malformed),
            ("*2\r\n$900\r\n" + String(repeating: "x", count: 900) + "\r\n$900\r\n", .tooLarge),
        ]
    )
    func invalid(text: String, failure: ReplyParser.ParseError) {
        var parser = ReplyParser(costLimit: 1024)
        parser.feed(text.utf8)
        #expect(throws: failure) { while try parser.next() != nil {} }
    }

    @Test("replies of the largest allowed size are accepted again and again")
    func costIsPerReply() throws {
        var parser = ReplyParser(costLimit: 1024)
        for _ in 0..<100 {
            parser.feed("$900\r\n".utf8)
            parser.feed(repeatElement(7, count: 900))
            parser.feed("\r\n".utf8)
            #expect(try parser.next() == .bytes(Array(repeating: 7, count: 900)))
        }
    }

    @Test("a command is an array of byte strings, with any bytes")
    func command() {
        #expect(
            RedisCommand([[83, 69, 84], [], [13, 10, 0]]).bytes
                == Array("*3\r\n$3\r\nSET\r\n$0\r\n\r\n$3\r\n\r\n\0\r\n".utf8)
        )
        #expect(RedisCommand("PING").bytes == Array("*1\r\n$4\r\nPING\r\n".utf8))
    }
}
