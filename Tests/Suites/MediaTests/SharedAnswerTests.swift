import Base
import Media
import Support
import Synchronization
import Testing

/// Tests of issue 15, section 7: `/readyz` is computed once for all concurrent requests.
@Suite("A shared answer", .timeLimit(.minutes(10)))
struct SharedAnswerTests {
    @Test("is computed once for all requests during the computation and shortly afterwards, and again later")
    func shared() async {
        let time = TestTime()
        let (begun, hold) = (Signal(), Signal())
        let count = Mutex(0)
        let answer = SharedAnswer(keptFor: .seconds(1), time: time) {
            begun.send()
            await hold.hang()
            return count.withLock { count in
                count += 1
                return count
            }
        }
        let values = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { await answer.value() } }
            await begun.wait()
            hold.send()
            return await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(values == [1])
        time.advance(by: .milliseconds(900))
        #expect(await answer.value() == 1)
        time.advance(by: .milliseconds(200))
        #expect(await answer.value() == 2)
    }
}
