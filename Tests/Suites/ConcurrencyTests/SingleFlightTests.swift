import Base
import Support
import Synchronization
import Testing

@Suite("A single flight", .timeLimit(.minutes(10)))
final class SingleFlightTests: Sendable {
    private let time = TestTime()
    private let begun = Signal()
    private let hold = Signal()
    private let count = Mutex(0)

    /// Returns the number of the computation, once the test lets it end.
    private func work() async -> Int {
        begun.send()
        await hold.hang()
        return count.withLock { count in
            count += 1
            return count
        }
    }

    @Test("is one computation for all who ask meanwhile and shortly afterwards, and another one later")
    func shared() async {
        let flight = SingleFlight<OneKey, Int>(keptFor: .seconds(1), time: time)
        let values = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { await flight.value { await self.work() } } }
            await begun.wait()
            hold.send()
            return await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(values == [1])
        time.advance(by: .milliseconds(900))
        #expect(await flight.value { await self.work() } == 1)
        time.advance(by: .milliseconds(200))
        #expect(await flight.value { await self.work() } == 2)
    }

    @Test("of one key does not concern another, keeps nothing without a time, and tells who began it")
    func keyed() async {
        let flight = SingleFlight<String, Int>(time: time)
        let first = Task { await flight.value(of: "a") { await self.work() } }
        await begun.wait()
        #expect(await flight.value(of: "b") { 7 } == (7, true))
        let joined = Task { await flight.value(of: "a") { 8 } }
        let resting = Task { await flight.rest(of: "a") }
        hold.send()
        await resting.value
        #expect(await first.value == (1, true))
        let late = await joined.value
        #expect(late == (1, false) || late == (8, true), "it joins the first, or comes after it")
        #expect(await flight.value(of: "a") { 9 } == (9, true))
        await flight.rest(of: "a")
    }

    @Test("goes on if whoever began it is cancelled")
    func cancelled() async {
        let flight = SingleFlight<String, Int>(time: time)
        let first = Task { await flight.value(of: "a") { await self.work() }.value }
        await begun.wait()
        first.cancel()
        hold.send()
        #expect(await first.value == 1)
    }
}
