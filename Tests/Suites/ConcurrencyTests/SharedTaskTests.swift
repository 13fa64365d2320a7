import Base
import Support
import Synchronization
import Testing

@Suite("Work that tasks share", .timeLimit(.minutes(10)))
struct SharedTaskTests {
    @Test("it is done once, for those who wait and for those who come later")
    func shares() async {
        let runs = Atomic(0)
        let gate = Signal()
        let shared = SharedTask {
            await gate.hang()
            return runs.wrappingAdd(1, ordering: .relaxed).newValue
        }
        let tasks = (0..<10).map { _ in Task { await shared.value() } }
        await Task.yield()
        gate.send()
        for task in tasks { #expect(await task.value == 1) }
        #expect(await shared.value() == 1)
    }

    @Test("it goes on while somebody waits, and is cancelled when the last one has left")
    func abandons() async throws {
        let gate = Signal()
        let isCancelled = Signal()
        let shared = SharedTask {
            await withTaskCancellationHandler {
                await gate.hang()
            } onCancel: {
                isCancelled.send()
            }
        }
        let (first, last) = (Task { await shared.value() != nil }, Task { await shared.value() != nil })
        try await eventually { shared.waiterCount == 2 }
        first.cancel()
        #expect(await !first.value)
        #expect(!isCancelled.isSent)
        last.cancel()
        #expect(await !last.value)
        await isCancelled.wait()
        gate.send()
    }

    @Test("those who stay get the result when others leave")
    func races() async {
        for run in runs {
            let gate = Signal()
            let shared = SharedTask {
                await gate.hang()
                return Task.isCancelled ? -1 : 5
            }
            let leaves = Task { await shared.value() }
            async let stays = shared.value()
            if run % 2 == 0 { await Task.yield() }
            async let cancelled: Void = Task { leaves.cancel() }.value
            async let done: Void = Task { gate.send() }.value
            _ = await (cancelled, done)
            let left = await leaves.value
            #expect(left == nil || left == 5 || left == -1)
            #expect(await stays != nil)
        }
    }
}
