import Base
import Support
import Testing

@Suite("Answers in time", .timeLimit(.minutes(10)))
struct AnswersInTimeTests {
    /// Work with scripted behaviour.
    enum Work: Sendable, Equatable {
        case returns
        /// Never ends, and ignores cancellation.
        case hangs
        case endsAtExpiry
        /// Ends an hour after the deadline, even if it is cancelled.
        case sleepsPastExpiry

        func run(_ time: TestTime, _ expiry: Instant) async {
            switch self {
            case .returns: break
            case .hangs: await Signal().hang()
            case .endsAtExpiry: try? await time.sleep(until: expiry)
            case .sleepsPastExpiry: try? await time.sleep(until: expiry + .seconds(3600))
            }
        }
    }

    let time = TestTime()
    var expiry: Instant { Instant(sinceOrigin: .seconds(10)) }

    private func answer(_ work: Work) -> Task<String, Never> {
        Task { [time, expiry] in
            await time.answer(by: expiry) {
                await work.run(time, expiry)
                return "work"
            } else: {
                "fallback"
            }
        }
    }

    @Test("work that returns is not kept waiting for the deadline", arguments: 0..<100)
    func returns(run: Int) async { #expect(await answer(.returns).value == "work") }

    @Test(
        "work that hangs, or ignores cancellation, is left behind at the deadline",
        arguments: [Work.hangs, .sleepsPastExpiry],
        0..<100,
    )
    func hangs(work: Work, run: Int) async {
        let answer = answer(work)
        await time.sleepers(work == .hangs ? 1 : 2)
        for _ in 0..<run % 5 { await Task.yield() }
        time.advance(by: .seconds(10))
        #expect(await answer.value == "fallback")
    }

    @Test("work that ends at the deadline's instant gives one answer, whichever is first", arguments: 0..<300)
    func sameInstant(run: Int) async {
        let answer = answer(.endsAtExpiry)
        await time.sleepers(2)
        for _ in 0..<run % 7 { await Task.yield() }
        time.advance(by: .seconds(10))
        #expect(["work", "fallback"].contains(await answer.value))
    }

    @Test("before the deadline slow work is left alone, also when the caller is cancelled")
    func inTime() async {
        let answer = answer(.endsAtExpiry)
        await time.sleepers(2)
        answer.cancel()
        time.advance(by: .milliseconds(9999))
        await time.sleepers(2)
        time.advance(by: .milliseconds(1))
        #expect(["work", "fallback"].contains(await answer.value))
    }
}
