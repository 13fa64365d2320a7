import DecoderWire
import Media
import Testing

@testable import Decoding

@Suite struct ConversationStateTests {
    private let rung = RungReport(rung: .fast, format: .jpeg, byteCount: 100)

    private func begin(_ source: SourceProgress = SourceProgress(byteCount: 10)) -> ConversationState {
        ConversationState(source: source, outputCount: 2, outputCapacity: 100)
    }

    @Test("a job that goes well is described, checked and finished")
    func good() {
        var state = begin()
        #expect(state.hear(.need(byteCount: 11)) == .await(byteCount: 11))
        #expect(state.tell(byteCount: 20) == true)
        #expect(state.hear(.source(SourceReport(width: 1))) == .describe(SourceReport(width: 1)))
        #expect(state.hear(.need(byteCount: 21)) == .await(byteCount: 21))
        #expect(state.tellEnd() == true)
        #expect(state.hear(.rung(rung, output: 1)) == .check(rung, output: 1))
        #expect(state.hear(.rung(rung, output: 0)) == .check(rung, output: 0))
        #expect(state.hear(.done) == .finish)
    }

    @Test("a question that crosses the end on its way is let pass, once")
    func crossing() {
        var state = begin()
        #expect(state.tellEnd() == true)
        #expect(state.hear(.need(byteCount: 11)) == .nothing)
        #expect(state.tell(byteCount: 20) == false)
        #expect(state.hear(.need(byteCount: 12)).isLie)
    }

    @Test("the end is told once")
    func end() {
        var state = begin()
        #expect(state.tellEnd() == true)
        #expect(state.tellEnd() == false)
        var ended = begin(SourceProgress(byteCount: 10, isEnded: true))
        #expect(ended.tellEnd() == false)
    }

    @Test("a process that asks for what it has, or asks again before it has an answer, lies")
    func needs() {
        var state = begin()
        #expect(state.hear(.need(byteCount: 10)).isLie)
        state = begin()
        #expect(state.hear(.need(byteCount: 11)) == .await(byteCount: 11))
        #expect(state.hear(.need(byteCount: 12)).isLie)
        state = begin(SourceProgress(byteCount: 10, isEnded: true))
        #expect(state.hear(.need(byteCount: 11)).isLie)
    }

    @Test("a process without a result was out of time if it was told so, and lies if not")
    func nothing() {
        var state = begin()
        state.tellExpiry()
        guard case .fail(let failure) = state.hear(.done) else {
            Issue.record("it is not a failure")
            return
        }
        #expect(failure.reason == .timedOut)
        state = begin()
        #expect(state.hear(.done).isLie)
    }

    @Test(
        "a process may give up for a reason of its own, and for none of ours",
        arguments: AttachmentFailure.Reason.allCases
    )
    func reasons(reason: AttachmentFailure.Reason) {
        var state = begin()
        guard case .fail(let failure) = state.hear(.failed(reason)) else {
            Issue.record("it is not a failure")
            return
        }
        #expect([reason, .decoderLied].contains(failure.reason))
        let ours: Set<AttachmentFailure.Reason> = [
            .httpStatus, .refusedAddress, .storeFull, .cancelled, .payloadTooLarge,
        ]
        if ours.contains(reason) { #expect(failure.reason == .decoderLied) }
        #expect(failure.stage == .decode)
    }
}

extension ConversationState.Action {
    fileprivate var isLie: Bool {
        if case .fail(let failure) = self { failure.reason == .decoderLied } else { false }
    }
}
