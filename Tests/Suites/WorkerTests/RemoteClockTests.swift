import Base
import Jobs
import Testing

/// Tests of what a worker takes for the clock of its queue's server.
struct RemoteClockTests {
    private static func at(_ seconds: Double) -> Instant { Instant(sinceOrigin: .seconds(seconds)) }

    @Test("an answer that comes late does not move the server's times into the future")
    func late() {
        var clock = RemoteClock()
        #expect(clock.instant(of: .seconds(100), asked: Self.at(5), received: Self.at(5.25)) == Self.at(5))
        #expect(clock.instant(of: .seconds(101), asked: Self.at(6), received: Self.at(8)) == Self.at(6))
    }

    @Test("the first reading is narrowed by later ones, from both sides")
    func narrowing() {
        var clock = RemoteClock()
        #expect(!clock.isKnown)
        #expect(clock.instant(of: .seconds(100), asked: Self.at(2), received: Self.at(6)) == Self.at(2))
        #expect(clock.isKnown)
        #expect(clock.instant(of: .seconds(101), asked: Self.at(5), received: Self.at(5.5)) == Self.at(5))
        #expect(clock.instant(of: .seconds(102), asked: Self.at(5.5), received: Self.at(5.75)) == Self.at(5.75))
    }

    @Test("a server whose clock steps is believed with the next answer", arguments: [-30.0, 30])
    func stepping(step: Double) {
        var clock = RemoteClock()
        _ = clock.instant(of: .seconds(100), asked: Self.at(5), received: Self.at(5.5))
        let next = clock.instant(of: .seconds(101 + step), asked: Self.at(6), received: Self.at(6.5))
        #expect(next >= Self.at(6) && next <= Self.at(6.5))
    }
}
