import Base
import DecoderWire
import Media
import Testing

@testable import Decoding

@Suite struct ConversationStateTests {
    private let rung = RungReport(rung: .fast, format: .jpeg, byteCount: 100)

    private func begin(isEnded: Bool = false) -> ConversationState {
        let source = SourceProgress(present: ByteRanges([0..<10]), isEnded: isEnded)
        let bounds = ConversationState.Bounds(outputs: 2, outputBytes: 100, limits: MediaLimits())
        return ConversationState(source: source, within: bounds)
    }

    @Test("a process may refuse a format as switched off only where one is", arguments: [true, false])
    func disabled(hasDisabled: Bool) {
        var bounds = ConversationState.Bounds(outputs: 2, outputBytes: 100, limits: MediaLimits())
        bounds.hasDisabled = hasDisabled
        var state = ConversationState(source: SourceProgress(present: ByteRanges()), within: bounds)
        let action = state.receive(.failed(.disabled))
        #expect(action.isLie != hasDisabled)
    }

    @Test("a job that goes well is described, checked and finished")
    func good() {
        var state = begin()
        #expect(!state.hasBegun)
        #expect(state.receive(.began) == .nothing)
        #expect(state.hasBegun)
        #expect(state.receive(.need(10..<11, ahead: 5)) == .await(10..<11, ahead: 5))
        #expect(state.recordBytes(0..<20, size: nil) == true)
        #expect(state.receive(.source(SourceReport(frames: 1))) == .describe(SourceReport(frames: 1), memoryBytes: 0))
        state.recordMemory()
        #expect(state.receive(.need(20..<21, ahead: 0)) == .await(20..<21, ahead: 0))
        #expect(state.recordEnd(asAnswer: true) == true)
        #expect(state.receive(.rung(rung, output: 1)) == .check(rung, output: 1))
        #expect(state.receive(.rung(rung, output: 0)) == .check(rung, output: 0))
        #expect(state.receive(.done) == .finish)
    }

    @Test("a thumbnail is refused as a lie before there is a result, or in an output that is in use")
    func thumbnail() {
        var state = begin()
        #expect(state.receive(.thumbnail(byteCount: 10, output: 0)).isLie)
        #expect(state.receive(.rung(rung, output: 0)) == .check(rung, output: 0))
        #expect(state.receive(.thumbnail(byteCount: 10, output: 1)) == .checkThumbnail(byteCount: 10, output: 1))
        #expect(state.receive(.thumbnail(byteCount: 10, output: 1)).isLie)
        state = begin()
        #expect(state.receive(.rung(rung, output: 0)) == .check(rung, output: 0))
        #expect(state.receive(.thumbnail(byteCount: 101, output: 1)).isLie)
    }

    @Test("a process that goes on before it gets memory lies, and so does one that describes a result while it waits")
    func memory() {
        var state = begin()
        #expect(state.receive(.source(SourceReport(), memoryBytes: 7)) == .describe(SourceReport(), memoryBytes: 7))
        #expect(state.receive(.need(10..<11, ahead: 0)).isLie)
        state = begin()
        #expect(state.receive(.need(10..<11, ahead: 0)) == .await(10..<11, ahead: 0))
        #expect(state.receive(.source(SourceReport())).isLie)
    }

    @Test(
        "S6: a source that the limits rule out is a lie, and so is a result",
        arguments: [
            (Int.max, 2, 1, 0), (2, .max, 1, 0), (.max, .max, 1, 0), (0, 8, 1, 0), (8, 0, 1, 0), (nil, 8, 1, 0),
            (8, nil, 1, 0), (65_501, 8, 1, 0), (15_000, 15_000, 1, 0), (8, 8, .max, 0), (8, 8, 1, .max),
            (nil, nil, 1, 31_536_000_001),
        ] as [(Int?, Int?, Int, Int)],
    )
    func impossible(width: Int?, height: Int?, frames: Int, milliseconds: Int) {
        var state = begin()
        let source = SourceReport(width: width, height: height, frames: frames, durationMilliseconds: milliseconds)
        #expect(state.receive(.source(source)).isLie)
        state = begin()
        var result = rung
        (result.width, result.height, result.frames) = (width, height, frames)
        result.durationMilliseconds = milliseconds
        #expect(state.receive(.rung(result, output: 0)).isLie)
    }

    @Test("S6: the largest source within the limits is accepted")
    func possible() {
        var state = begin()
        let source = SourceReport(
            width: 20_000,
            height: 2500,
            frames: 100_000_000,
            durationMilliseconds: 31_536_000_000
        )
        #expect(
            state.receive(.source(source, memoryBytes: 2_147_483_648)) == .describe(source, memoryBytes: 2_147_483_648)
        )
        state = begin()
        #expect(state.receive(.source(source, memoryBytes: 2_147_483_649)).isLie)
    }

    @Test("a process that waits for bytes is told of the end in the answer, and only there")
    func endAsAnswer() {
        var state = begin()
        #expect(state.receive(.need(10..<11, ahead: 0)) == .await(10..<11, ahead: 0))
        #expect(state.recordEnd() == false)
        #expect(state.recordEnd(asAnswer: true) == true)
        #expect(state.recordEnd() == false)
    }

    @Test("a process that accepts its job twice lies")
    func began() {
        var state = begin()
        #expect(state.receive(.began) == .nothing)
        #expect(state.receive(.began).isLie)
    }

    @Test("one question that crosses the end on its way is allowed")
    func crossing() {
        var state = begin()
        #expect(state.recordEnd() == true)
        #expect(state.receive(.need(10..<11, ahead: 0)) == .nothing)
        #expect(state.recordBytes(0..<20, size: nil) == false)
        #expect(state.receive(.need(11..<12, ahead: 0)).isLie)
    }

    @Test("the end is sent once")
    func end() {
        var state = begin()
        #expect(state.recordEnd() == true)
        #expect(state.recordEnd() == false)
        var ended = begin(isEnded: true)
        #expect(ended.recordEnd() == false)
    }

    @Test("a process that asks for bytes that it has, or asks again before the answer, lies")
    func needs() {
        var state = begin()
        #expect(state.receive(.need(9..<10, ahead: 0)).isLie)
        state = begin()
        #expect(state.receive(.need(10..<11, ahead: 5)) == .await(10..<11, ahead: 5))
        #expect(state.receive(.need(11..<12, ahead: 0)).isLie)
        state = begin(isEnded: true)
        #expect(state.receive(.need(10..<11, ahead: 0)).isLie)
    }

    @Test("a process may ask for any bytes of the source that it was not told of")
    func anywhere() {
        var state = begin()
        #expect(state.receive(.need(5..<15, ahead: 0)) == .await(5..<15, ahead: 0))
        #expect(state.recordBytes(0..<15, size: 1000) == true)
        #expect(state.receive(.need(900..<2000, ahead: 7)) == .await(900..<2000, ahead: 7))
        #expect(state.recordBytes(900..<1000, size: 1000) == true)
        #expect(state.receive(.need(15..<20, ahead: 0)) == .await(15..<20, ahead: 0))
    }

    @Test(
        "a process that asks for bytes beyond any source lies",
        arguments: [(1000..<1001, 0), (20..<20, 0), (20..<21, Int.max), (950..<960, 0)] as [(Range<Int>, Int)],
    )
    func impossible(range: Range<Int>, ahead: Int) {
        var state = begin()
        #expect(state.receive(.need(900..<1000, ahead: 0)) == .await(900..<1000, ahead: 0))
        #expect(state.recordBytes(900..<1000, size: 1000) == true)
        #expect(state.receive(.need(range, ahead: ahead)).isLie)
    }

    @Test("a process without a result ran out of time if the worker told it so, and lies otherwise")
    func nothing() {
        var state = begin()
        state.recordWarning()
        guard case .fail(let failure) = state.receive(.done) else {
            Issue.record("it is not a failure")
            return
        }
        #expect(failure.reason == .timedOut)
        state = begin()
        #expect(state.receive(.done).isLie)
    }

    @Test(
        "a process may give up for a reason of its own, but not for one of the worker's",
        arguments: AttachmentFailure.Reason.allCases
    )
    func reasons(reason: AttachmentFailure.Reason) {
        var state = begin()
        guard case .fail(let failure) = state.receive(.failed(reason)) else {
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
