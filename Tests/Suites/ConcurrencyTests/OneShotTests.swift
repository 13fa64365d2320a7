import Base
import Support
import Testing

@Suite("A value that is set once", .timeLimit(.minutes(10)))
struct OneShotTests {
    let oneShot = OneShot<Int>()

    @Test("tasks that wait before the value is set, and tasks that come later, all get it")
    func value() async {
        let early = (0..<10).map { _ in Task { await oneShot.value() } }
        await Task.yield()
        #expect(oneShot.current == nil)
        oneShot.set(5)
        for task in early { #expect(await task.value == 5) }
        #expect(await oneShot.value() == 5)
        #expect(oneShot.current == 5)
    }

    @Test("only the first value counts")
    func first() async {
        oneShot.set(1)
        oneShot.set(2)
        #expect(await oneShot.value() == 1)
    }

    @Test("a cancelled task stops waiting, and the others wait on")
    func cancels() async {
        let leaves = Task { await oneShot.value() }
        let stays = Task { await oneShot.value() }
        leaves.cancel()
        #expect(await leaves.value == nil)
        oneShot.set(5)
        #expect(await stays.value == 5)
    }

    @Test("a cancelled task gets a value that is there")
    func cancelledWithValue() async {
        oneShot.set(5)
        let start = Signal()
        let task = Task {
            await start.hang()
            return await oneShot.value()
        }
        task.cancel()
        start.send()
        #expect(await task.value == 5)
    }

    @Test("a result is returned or thrown, and cancellation is an error")
    func results() async throws {
        struct Failure: Error {}
        let success = OneShot<Result<Int, any Error>>()
        success.set(.success(5))
        #expect(try await success.get() == 5)
        let failure = OneShot<Result<Int, any Error>>()
        failure.set(.failure(Failure()))
        await #expect(throws: Failure.self) { try await failure.get() }
        let open = OneShot<Result<Int, any Error>>()
        let task = Task { try await open.get() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("values and cancellation race, and every task is resumed once")
    func races() async {
        for run in runs {
            let oneShot = OneShot<Int>()
            let tasks = (0..<4).map { _ in Task { await oneShot.value() } }
            if run % 2 == 0 { await Task.yield() }
            async let one: Void = Task { oneShot.set(1) }.value
            async let two: Void = Task { oneShot.set(2) }.value
            async let cancelled: Void = Task { tasks[0].cancel() }.value
            _ = await (one, two, cancelled)
            let value = oneShot.current
            #expect(value == 1 || value == 2)
            let first = await tasks[0].value
            #expect(first == nil || first == value)
            for task in tasks[1...] { #expect(await task.value == value) }
        }
    }
}
