import Base
import Support
import Testing

@Suite(.timeLimit(.minutes(10)))
struct EventRecorderTests {
    @Test("all members of a group get each event, in its order")
    func group() {
        let (first, second) = (RecordedEvents<Int>(), RecordedEvents<Int>())
        let group = RecorderGroup<Int>(first, second)
        for event in 1...3 { group.record(event) }
        #expect(first.events == [1, 2, 3])
        #expect(second.events == [1, 2, 3])
    }

    @Test("an event is recorded with the task-local values of the task that it concerns")
    func context() async {
        let recorder = ContextRecorder()
        await ContextRecorder.$context.withValue("a") { await Task { recorder.record("begun") }.value }
        ContextRecorder.$context.withValue("b") { recorder.record("joined") }
        #expect(recorder.recorded.events == ["a begun", "b joined"])
    }
}

/// A recorder that follows a task-local value, as spans do.
private struct ContextRecorder: EventRecorder {
    @TaskLocal static var context = ""

    let recorded = RecordedEvents<String>()

    func record(_ event: String) { recorded.record("\(Self.context) \(event)") }
}
