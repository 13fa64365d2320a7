import Testing

@testable import JobsRedis

@Suite("Watching for answers")
struct AnswerWatchTests {
    @Test(
        "the server is asked each 10 ms, and less often for many answers",
        arguments: [(1, 10), (100, 10), (200, 20), (500, 50), (100_000, 50)]
    )
    func interval(answers: Int, milliseconds: Int) {
        #expect(AnswerWatch.interval(forAnswers: answers) == .milliseconds(milliseconds))
    }
}
