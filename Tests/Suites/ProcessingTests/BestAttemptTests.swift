import Base
import Media
import Support
import Testing

@testable import Processing

@Suite("The best attempt at a notification", .timeLimit(.minutes(10)))
struct BestAttemptTests {
    /// Work on an attempt, with scripted behaviour.
    enum Work: Sendable, Equatable {
        case returns
        /// Never ends, and ignores cancellation.
        case hangs
        /// Improves the attempt, sends the signal, then never ends.
        case marksAndHangs(Signal)
        case endsAtExpiry
        /// Ends an hour after the deadline, even if it is cancelled.
        case sleepsPastExpiry

        func run(_ bestAttempt: BestAttempt, _ time: TestTime, _ expiry: Instant) async {
            switch self {
            case .returns: bestAttempt.update(0) { $0.isComplete = true }
            case .hangs: await Signal().hang()
            case .marksAndHangs(let reached):
                bestAttempt.update(0) { $0.source.fetched = 1 }
                reached.send()
                await Signal().hang()
            case .endsAtExpiry: try? await time.sleep(until: expiry)
            case .sleepsPastExpiry: try? await time.sleep(until: expiry + .seconds(3600))
            }
        }
    }

    let time = TestTime()
    var expiry: Instant { Instant(sinceOrigin: .seconds(10)) }

    private func attempt(_ work: Work) -> Task<(attachments: [ReadyAttachment], isExpired: Bool), Never> {
        Task { [time, expiry] in
            await BestAttempt([ReadyAttachment()]).improved(by: expiry, on: time) { await work.run($0, time, expiry) }
        }
    }

    @Test("what work that returns has reached is taken without waiting for the deadline", arguments: 0..<100)
    func returns(run: Int) async {
        let (attachments, isExpired) = await attempt(.returns).value
        #expect(!isExpired && attachments[0].isComplete)
    }

    @Test(
        "work that hangs, or ignores cancellation, is left behind at the deadline",
        arguments: [Work.hangs, .sleepsPastExpiry],
        0..<100,
    )
    func hangs(work: Work, run: Int) async {
        let attempt = attempt(work)
        await time.sleepers(work == .hangs ? 1 : 2)
        for _ in 0..<run % 5 { await Task.yield() }
        time.advance(by: .seconds(10))
        #expect(await attempt.value.isExpired)
    }

    @Test("what became ready before the deadline is in the attempt that is taken then", arguments: 0..<50)
    func bestAttempt(run: Int) async {
        let reached = Signal()
        let attempt = attempt(.marksAndHangs(reached))
        await reached.wait()
        await time.sleepers(1)
        time.advance(by: .seconds(10))
        let (attachments, isExpired) = await attempt.value
        #expect(isExpired && attachments[0].source.fetched == 1)
    }

    @Test("work that ends at the deadline's instant gives one attempt, whichever is first", arguments: 0..<300)
    func sameInstant(run: Int) async {
        let attempt = attempt(.endsAtExpiry)
        await time.sleepers(2)
        for _ in 0..<run % 7 { await Task.yield() }
        time.advance(by: .seconds(10))
        #expect(await attempt.value.attachments.count == 1)
    }

    @Test("before the deadline slow work is left alone")
    func inTime() async {
        let attempt = attempt(.endsAtExpiry)
        await time.sleepers(2)
        time.advance(by: .milliseconds(9999))
        await time.sleepers(2)
        time.advance(by: .milliseconds(1))
        #expect(await attempt.value.attachments.count == 1)
    }

    @Test("of two answers only the first is delivered, even when both come at once", arguments: 0..<200)
    func answersOnce(run: Int) async {
        let answer = Task { [time] in
            await time.answer(by: Instant(sinceOrigin: .seconds(1))) {
                for _ in 0..<run % 4 { await Task.yield() }
                try? await time.sleep(until: Instant(sinceOrigin: .seconds(1)))
                return "work"
            } else: {
                "fallback"
            }
        }
        await time.sleepers(2)
        time.advance(by: .seconds(1))
        #expect(["work", "fallback"].contains(await answer.value))
    }
}
