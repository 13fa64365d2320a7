import Base
import Support
import Testing

@Suite("A wake-up call", .timeLimit(.minutes(10)))
struct WakeUpTests {
    let wakeUp = WakeUp()

    @Test("a call ends the wait, or the next one at once; several calls before it count as one")
    func wakes() async throws {
        wakeUp.wake()
        wakeUp.wake()
        try await wakeUp.wait()
        let task = Task { try await wakeUp.wait() }
        await Task.yield()
        wakeUp.wake()
        try await task.value
    }

    @Test("a cancelled task stops waiting")
    func cancels() async {
        let task = Task { try await wakeUp.wait() }
        await Task.yield()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("a task that is cancelled before it waits leaves the call to the next wait")
    func keepsCall() async throws {
        wakeUp.wake()
        let start = Signal()
        let task = Task {
            await start.hang()
            try await wakeUp.wait()
        }
        task.cancel()
        start.send()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await wakeUp.wait()
    }

    @Test("no call is lost when cancellation and a call race")
    func races() async throws {
        for run in runs {
            let wakeUp = WakeUp()
            let task = Task { try await wakeUp.wait() }
            if run % 2 == 0 { await Task.yield() }
            async let cancelled: Void = Task { task.cancel() }.value
            async let called: Void = Task { wakeUp.wake() }.value
            _ = await (cancelled, called)
            if case .failure = await task.result { try await wakeUp.wait() }
        }
    }
}
