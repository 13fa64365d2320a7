import Base
import Support
import Synchronization
import Testing

@Suite("The first answer", .timeLimit(.minutes(10)))
struct FirstAnswerTests {
    @Test("an answer that is given at once counts, and later ones are dropped")
    func atOnce() async {
        let value = await FirstAnswer<Int>
            .wait { question in
                question.give(1)
                question.give(2)
            }
        #expect(value == 1)
    }

    @Test("cancellation does not end the wait")
    func cancellation() async throws {
        let question = Mutex<FirstAnswer<Int>?>(nil)
        let task = Task { await FirstAnswer<Int>.wait { asked in question.withLock { $0 = asked } } }
        try await eventually { question.withLock { $0 != nil } }
        task.cancel()
        question.withLock(\.self)?.give(5)
        #expect(await task.value == 5)
    }

    @Test("answers race, and one of them counts")
    func races() async {
        for _ in runs {
            let value = await FirstAnswer<Int>
                .wait { question in
                    for answer in 0..<4 { Task { question.give(answer) } }
                }
            #expect((0..<4).contains(value))
        }
    }
}
