import Testing

@testable import Downloads
@testable import HTTPClient

@Suite("Answers to range requests")
struct RangeAnswerTests {
    private static let version = SourceVersion(size: 1000, entityTag: "\"a\"", validator: "\"a\"")

    private static func head(_ status: Int = 206, _ range: String? = "bytes 100-199/1000") -> AnswerHead {
        var head = AnswerHead(status: status)
        head.contentRange = range
        head.entityTag = "\"a\""
        return head
    }

    private static func changed(_ change: (inout AnswerHead) -> Void) -> AnswerHead {
        var head = head()
        change(&head)
        return head
    }

    @Test(
        "an answer is accepted only if it was asked for and fits the known source",
        arguments: [
            (head(), .part(100..<200, version)),
            (head(206, "bytes 100-150/1000"), .part(100..<151, version)),
            (head(206, "bytes 100-199/*"), .part(100..<200, version)),
            (head(206, "BYTES 100-199/1000"), .part(100..<200, version)),
            (head(206, nil), .lie(.noPart)),
            (head(206, "bytes 100-199"), .lie(.noPart)),
            (head(206, "bytes 199-100/1000"), .lie(.noPart)),
            (head(206, "bytes 100-1999/1000"), .lie(.noPart)),
            (head(206, "bytes */1000"), .lie(.noPart)),
            (head(206, "bytes 99999999999999999999-99999999999999999999/*"), .lie(.noPart)),
            (head(206, "bytes 0-99/1000"), .lie(.otherPart)),
            (head(206, "bytes 100-200/1000"), .lie(.otherPart)),
            (head(206, "bytes 100-199/1001"), .changed),
            (changed { $0.entityTag = "\"b\"" }, .changed),
            (changed { $0.entityTag = nil }, .part(100..<200, version)),
            (changed { $0.contentLength = 99 }, .lie(.otherLength)),
            (changed { $0.contentLength = 100 }, .part(100..<200, version)),
            (changed { $0.contentEncoding = "gzip" }, .lie(.encoded)),
            (head(200), .changed),
            (head(416), .changed),
        ] as [(AnswerHead, RangeAnswer)],
    )
    func later(head: AnswerHead, expected: RangeAnswer) {
        #expect(RangeAnswer(head, asked: 100..<200, version: Self.version) == expected)
    }

    @Test(
        "the first answer describes the source, or shows that the origin has no ranges",
        arguments: [
            (head(206, "bytes 0-99/1000"), .part(0..<100, version)),
            (head(206, "bytes 0-99/*"), .refused),
            (head(206, "bytes 1-99/1000"), .refused),
            (head(206, "bytes 0-1000/1000"), .refused),
            (head(206, "0-99/1000"), .refused),
            (head(206, nil), .refused),
            (
                changed {
                    $0.contentRange = "bytes 0-99/1000"; $0.contentEncoding = "gzip"
                }, .refused
            ),
            (head(200), .whole),
            (head(416), .refused),
        ] as [(AnswerHead, RangeAnswer)],
    )
    func first(head: AnswerHead, expected: RangeAnswer) {
        #expect(RangeAnswer(head, asked: 0..<100, version: nil) == expected)
    }

    @Test("an origin without validators that stops answering ranges is a liar")
    func noRanges() {
        let version = SourceVersion(size: 1000)
        #expect(RangeAnswer(Self.head(200), asked: 100..<200, version: version) == .lie(.noRanges))
    }

    @Test(
        "a validator must be strong",
        arguments: [
            ("\"a\"", nil, nil, "\"a\""),
            ("W/\"a\"", nil, nil, nil),
            (
                "W/\"a\"", "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:38 GMT",
                "Sun, 06 Nov 1994 08:49:37 GMT"
            ),
            (nil, "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", nil),
            (nil, "Sun, 06 Nov 1994 08:49:37 GMT", nil, nil),
            (nil, "yesterday", "Sun, 06 Nov 1994 08:49:37 GMT", nil),
        ] as [(String?, String?, String?, String?)],
    )
    func validators(tag: String?, modified: String?, date: String?, expected: String?) {
        var head = AnswerHead(status: 206)
        (head.entityTag, head.lastModified, head.date) = (tag, modified, date)
        #expect(head.strongValidator == expected)
    }

    @Test("a whole answer offers parts only with a length and a strong validator, for unencoded bytes")
    func offers() {
        var head = AnswerHead(status: 200)
        (head.acceptRanges, head.contentLength, head.entityTag) = ("bytes", 1000, "\"a\"")
        #expect(head.offeredVersion == Self.version)
        for change in [
            { $0.acceptRanges = "none" }, { $0.contentLength = nil }, { $0.entityTag = "W/\"a\"" },
            { $0.contentEncoding = "br" },
        ] as [(inout AnswerHead) -> Void] {
            var other = head
            change(&other)
            #expect(other.offeredVersion == nil)
        }
    }
}
