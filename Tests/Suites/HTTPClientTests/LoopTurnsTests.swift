import Testing

@testable import HTTPClient

@Suite("Turns of loops for unknown sites", .timeLimit(.minutes(10)))
struct LoopTurnsTests {
    private let turns = LoopTurns(count: 2)
    private let places = (0..<5).map { _ in LoopTurns.Place() }

    @Test("as many have a turn as may, and the others follow in the order in which they came")
    func order() {
        #expect(places.map(turns.begin) == [true, true, false, false, false])
        #expect(places.map(turns.begin) == [true, true, false, false, false])
        turns.end(places[1])
        // It stands behind the others now.
        #expect(!turns.begin(places[1]) && turns.begin(places[2]) && !turns.begin(places[3]))
        turns.end(places[0])
        turns.end(places[2])
        #expect(turns.begin(places[3]) && turns.begin(places[4]) && !turns.begin(places[1]))
    }

    @Test("the bell rings for a turn, and for one that stands in line and is called")
    func bell() {
        for place in places.prefix(3) { _ = turns.begin(place) }
        turns.end(places[0])
        // These would block forever.
        places[2].wait()
        _ = turns.begin(places[3])
        places[3].ring()
        places[3].wait()
        #expect(turns.begin(places[2]) && !turns.begin(places[3]))
    }

    @Test("the end of a turn that somebody does not have leaves their place in line")
    func stillInLine() {
        for place in places.prefix(3) { _ = turns.begin(place) }
        turns.end(places[2])
        turns.end(places[0])
        #expect(!turns.begin(places[3]) && turns.begin(places[2]))
    }

    @Test("whoever leaves the line, or has lost its turn, keeps nobody from theirs")
    func leaving() {
        for place in places.prefix(4) { _ = turns.begin(place) }
        turns.leave(places[2])
        for place in places.prefix(2) { turns.end(place) }
        turns.end(places[0])
        #expect(turns.begin(places[3]) && turns.begin(places[4]) && !turns.begin(places[0]))
    }
}
