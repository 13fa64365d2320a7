import Base
import Media
import Testing

@testable import Downloads
@testable import HTTPClient

@Suite("The lesson of a request's outcome for its origin")
struct OriginOutcomeTests {
    private func result(_ reason: AttachmentFailure.Reason?, isFlowing: Bool = false) -> HTTPResult {
        var result = HTTPResult(status: 200)
        result.failure = reason.map { AttachmentFailure(.download, $0, "") }
        result.isFlowing = isFlowing
        return result
    }

    @Test(
        "an origin whose bytes come to the end is slow at worst",
        arguments: [AttachmentFailure.Reason.timedOut, .cancelled]
    )
    func slow(reason: AttachmentFailure.Reason) {
        let outcome = result(reason, isFlowing: true).outcome(hadTime: true, isOver: true)
        #expect(outcome == .worked)
    }

    @Test(
        "an origin that sends nothing is overloaded or failing, if it had time",
        arguments: [AttachmentFailure.Reason.timedOut, .cancelled]
    )
    func silent(reason: AttachmentFailure.Reason) {
        let blamed = OriginOutcome(health: .failure, isOverloaded: true)
        #expect(result(reason).outcome(hadTime: true, isOver: true) == blamed)
        #expect(result(reason).outcome(hadTime: false, isOver: true) == .unknown)
    }

    @Test("a request that was cancelled says nothing about its origin")
    func unwanted() {
        #expect(result(.cancelled, isFlowing: true).outcome(hadTime: true, isOver: false) == .unknown)
    }

    @Test("an origin that stalls is overloaded, whatever it sent before")
    func stalled() {
        let outcome = result(.stalled, isFlowing: true).outcome(hadTime: true, isOver: false)
        #expect(outcome == OriginOutcome(health: .failure, isOverloaded: true))
    }
}
