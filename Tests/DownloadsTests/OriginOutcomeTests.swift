import Media
import Testing
import Timing

@testable import Downloads

@Suite("What a request says of its origin")
struct OriginOutcomeTests {
    private func result(_ reason: AttachmentFailure.Reason?, isFlowing: Bool = false) -> TransferResult {
        var result = TransferResult(status: 200)
        result.failure = reason.map { AttachmentFailure(.download, $0, "") }
        result.isFlowing = isFlowing
        return result
    }

    @Test(
        "an origin whose bytes come to the last is slow, and no more than that",
        arguments: [AttachmentFailure.Reason.timedOut, .cancelled]
    )
    func slow(reason: AttachmentFailure.Reason) {
        let outcome = result(reason, isFlowing: true).outcome(hadTime: true, isOver: true)
        #expect(outcome == .worked)
    }

    @Test(
        "one that sends nothing has too much or fails, if it had time",
        arguments: [AttachmentFailure.Reason.timedOut, .cancelled]
    )
    func silent(reason: AttachmentFailure.Reason) {
        let blamed = OriginOutcome(health: .failure, isOverloaded: true)
        #expect(result(reason).outcome(hadTime: true, isOver: true) == blamed)
        #expect(result(reason).outcome(hadTime: false, isOver: true) == .unknown)
    }

    @Test("what nobody wants any more says nothing")
    func unwanted() {
        #expect(result(.cancelled, isFlowing: true).outcome(hadTime: true, isOver: false) == .unknown)
    }

    @Test("one that stalls has too much, whatever came before")
    func stalled() {
        let outcome = result(.stalled, isFlowing: true).outcome(hadTime: true, isOver: false)
        #expect(outcome == OriginOutcome(health: .failure, isOverloaded: true))
    }
}
