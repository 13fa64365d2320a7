import Base
import Media
import Testing

@testable import Downloads
@testable import HTTPClient

@Suite("Freshness and sharing according to an answer's head")
struct FreshnessTests {
    /// A head's fields, and the expected lifetime and age in seconds.
    struct Case: Sendable, CustomTestStringConvertible {
        var fields: [String: String]
        var lifetime: Int?
        var age = 0
        var isShareable = true

        init(_ fields: [String: String], lifetime: Int?, age: Int = 0, isShareable: Bool = true) {
            (self.fields, self.lifetime, self.age, self.isShareable) = (fields, lifetime, age, isShareable)
        }

        var testDescription: String { "\(fields.sorted { $0.key < $1.key })" }
    }

    /// Sat, 21 Nov 2026 12:00:00 GMT.
    static let now = 1_795_262_400

    static let cases = [
        Case([:], lifetime: nil),
        Case(["cache-control": "public"], lifetime: nil),
        Case(["cache-control": "max-age=60"], lifetime: 60),
        Case(["cache-control": "MAX-AGE = 60 , Public"], lifetime: 60),
        Case(["cache-control": "max-age=\"60\""], lifetime: 60),
        Case(["cache-control": "max-age=0"], lifetime: 0),
        Case(["cache-control": "max-age=sixty"], lifetime: 0),
        Case(["cache-control": "max-age"], lifetime: 0),
        Case(["cache-control": "max-age=-1"], lifetime: 0),
        Case(["cache-control": "max-age=600, max-age=60"], lifetime: 60),
        Case(["cache-control": "max-age=99999999999999999999"], lifetime: 2_147_483_648),
        Case(["cache-control": "max-age=60, s-maxage=10"], lifetime: 10),
        Case(["cache-control": "s-maxage=600, max-age=0"], lifetime: 600),
        Case(["cache-control": "no-cache, max-age=60"], lifetime: 0),
        Case(["cache-control": "no-cache=\"Set-Cookie\", max-age=60"], lifetime: 0),
        Case(["cache-control": "must-revalidate, max-age=5"], lifetime: 5),
        Case(["cache-control": "private, max-age=60"], lifetime: 60, isShareable: false),
        Case(["cache-control": "private=\"x, max-age=5\", max-age=60"], lifetime: 60, isShareable: false),
        Case(["cache-control": "no-store"], lifetime: nil, isShareable: false),
        Case(["vary": "Accept, User-Agent"], lifetime: nil),
        Case(["vary": "Accept, *"], lifetime: nil, isShareable: false),
        Case(["expires": "Sat, 21 Nov 2026 12:01:00 GMT", "date": "Sat, 21 Nov 2026 12:00:00 GMT"], lifetime: 60),
        Case(["expires": "Sat, 21 Nov 2026 12:01:00 GMT"], lifetime: 60),
        Case(["expires": "Sat, 21 Nov 2026 11:00:00 GMT"], lifetime: 0),
        Case(["expires": "0"], lifetime: 0),
        Case(["expires": "-1", "cache-control": "public"], lifetime: 0),
        Case(["expires": "Sat, 21 Nov 2026 13:00:00 GMT", "cache-control": "max-age=60"], lifetime: 60),
        // Older than it says: by its Age, by its Date, or by the time in transit.
        Case(["cache-control": "max-age=60", "age": "20"], lifetime: 60, age: 20),
        Case(["cache-control": "max-age=60", "age": "soon"], lifetime: 60),
        Case(["cache-control": "max-age=60", "age": "-20"], lifetime: 60),
        Case(["cache-control": "max-age=60", "age": "-9223372036854775808"], lifetime: 60),
        Case(["cache-control": "max-age=60", "age": "99999999999999999999"], lifetime: 60, age: 2_147_483_648),
        Case(["cache-control": "max-age=\(Int.max)"], lifetime: 2_147_483_648),
        Case(["expires": "Fri, 31 Dec 99999 23:59:59 GMT"], lifetime: 0),
        Case(["cache-control": "max-age=60", "date": "Sat, 21 Nov 2026 11:59:30 GMT"], lifetime: 60, age: 30),
        Case(
            ["cache-control": "max-age=60", "date": "Sat, 21 Nov 2026 11:59:30 GMT", "age": "45"],
            lifetime: 60,
            age: 45
        ),
        // A clock that is ahead of ours doesn't make the answer younger.
        Case(["cache-control": "max-age=60", "date": "Sat, 21 Nov 2026 12:10:00 GMT"], lifetime: 60),
    ]

    private func answer(_ fields: [String: String], delay: Duration = .zero) -> SourceFreshness.Answer {
        var head = AnswerHead(status: 200)
        head.cacheControl = fields["cache-control"]
        head.expires = fields["expires"]
        head.date = fields["date"]
        head.age = fields["age"]
        head.vary = fields["vary"]
        return head.freshness(received: Instant(sinceOrigin: .zero), now: Self.now, delay: delay)
    }

    @Test("lifetime, age and whether an answer is public follow RFC 9111", arguments: cases)
    func fields(case expected: Case) {
        let answer = answer(expected.fields)
        #expect(answer.lifetime == expected.lifetime.map { .seconds($0) })
        #expect(answer.age == .seconds(expected.age))
        #expect(answer.isShareable == expected.isShareable)
    }

    @Test("the time in transit adds to an answer's age")
    func delay() {
        #expect(answer(["age": "20"], delay: .seconds(3)).age == .seconds(23))
        #expect(answer([:], delay: .seconds(3)).age == .seconds(3))
    }

    @Test("a redirect chain is as fresh as its least fresh answer, and public only if all answers are")
    func chain() {
        let start = Instant(sinceOrigin: .seconds(100))
        let long = SourceFreshness.Answer(lifetime: .seconds(600), age: .seconds(10), received: start)
        let silent = SourceFreshness.Answer(received: start)
        let own = SourceFreshness.Answer(isShareable: false, lifetime: .seconds(600), received: start)
        #expect(SourceFreshness(answers: [long]).end(floor: .seconds(60)) == start + .seconds(590))
        #expect(SourceFreshness(answers: [silent, long]).end(floor: .seconds(60)) == start + .seconds(60))
        #expect(SourceFreshness(answers: [long, silent]).end(floor: .seconds(900)) == start + .seconds(590))
        #expect(SourceFreshness(answers: []).end(floor: .seconds(900)) == nil)
        #expect(SourceFreshness(answers: [long, silent]).isShareable)
        #expect(!SourceFreshness(answers: [own, long]).isShareable)
    }

    @Test(
        "304 renews a source's freshness, with the previous lifetime if the answer gives none"
    )
    func freshening() {
        let (start, later) = (Instant(sinceOrigin: .zero), Instant(sinceOrigin: .seconds(90)))
        let before = SourceFreshness(answers: [.init(lifetime: .seconds(80), received: start)])
        let silent = SourceFreshness(answers: [.init(received: later)])
        #expect(silent.freshening(before).end(floor: .seconds(1)) == later + .seconds(80))
        let speaking = SourceFreshness(answers: [.init(lifetime: .seconds(5), received: later)])
        #expect(speaking.freshening(before).end(floor: .seconds(1)) == later + .seconds(5))
    }
}
