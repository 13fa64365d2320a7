import Events
import Support
import Testing

struct InstrumentTests {
    @Test("all members of a group get each event, in its order")
    func group() {
        let (first, second) = (RecordingInstrument<Int>(), RecordingInstrument<Int>())
        let group = InstrumentGroup<Int>(first, second)
        for event in 1...3 { group.record(event) }
        #expect(first.events == [1, 2, 3])
        #expect(second.events == [1, 2, 3])
    }

    @Test("an event is recorded with the task-local values of the task that it concerns")
    func context() async {
        let instrument = ContextRecorder()
        await ContextRecorder.$context.withValue("a") { await Task { instrument.record("begun") }.value }
        ContextRecorder.$context.withValue("b") { instrument.record("joined") }
        #expect(instrument.recorded.events == ["a begun", "b joined"])
    }
}

/// An instrument that follows a task-local value, as spans do.
private struct ContextRecorder: Instrument {
    @TaskLocal static var context = ""

    let recorded = RecordingInstrument<String>()

    func record(_ event: String) { recorded.record("\(Self.context) \(event)") }
}
