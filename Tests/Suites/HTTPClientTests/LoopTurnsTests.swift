import Base
import Support
import Testing

@testable import HTTPClient

@Suite("Turns of loops for unknown sites", .timeLimit(.minutes(10)))
struct LoopTurnsTests {
    private let turns = LoopTurns(count: 2)
    private let places = (0..<5).map { _ in LoopTurns.Place() }

    @Test("as many have a turn as may, and the others follow in the order in which they came")
    func order() {
        #expect(places.map { turns.begin($0) } == [true, true, false, false, false])
        #expect(places.map { turns.begin($0) } == [true, true, false, false, false])
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

    @Test("whoever has had the least processor time is next, whenever they came (SECURITY N21)")
    func leastServed() {
        for (place, milliseconds) in zip(places, [0, 0, 30, 10, 0]) {
            turns.record(.milliseconds(milliseconds), of: place, nil)
            _ = turns.begin(place)
        }
        turns.end(places[0])
        #expect(turns.begin(places[4]) && !turns.begin(places[3]) && !turns.begin(places[2]))
        turns.end(places[1])
        #expect(turns.begin(places[3]) && !turns.begin(places[2]))
    }

    @Test("names of their own on one address are served as one, until their time is forgiven (SECURITY N21)")
    func peers() {
        let (time, crowd, other) = (TestTime(), IPAddress("192.0.2.1"), IPAddress("192.0.2.2"))
        let turns = LoopTurns(count: 1, time: time)
        _ = turns.begin(places[0])
        turns.record(.milliseconds(20), of: places[1], other)
        for place in [places[3], places[4]] { turns.record(.milliseconds(15), of: place, crowd) }
        // Each of the crowd had less than the other, but together they had more.
        _ = turns.begin(places[3], of: crowd)
        _ = turns.begin(places[1], of: other)
        turns.end(places[0])
        #expect(turns.begin(places[1]) && !turns.begin(places[3]))
        turns.leave(places[3])
        time.advance(by: .seconds(10))
        _ = turns.begin(places[3], of: crowd)
        turns.record(.milliseconds(20), of: places[2], other)
        _ = turns.begin(places[2], of: other)
        turns.end(places[1])
        #expect(turns.begin(places[3]) && !turns.begin(places[2]))
    }
}
