import Base
import Support
import Synchronization
import Testing

@Suite("Waiters", .timeLimit(.minutes(10)))
struct WaitersTests {
    let room = WaitingRoom()

    @Test("a task waits until its waiter is resumed, and gets the value")
    func resumes() async throws {
        let task = Task { await room.wait() }
        try await eventually { room.count == 1 }
        room.resumeAll(with: "done")
        #expect(await task.value == "done")
        #expect(room.count == 0)
    }

    @Test("a task does not wait if the value is there")
    func returnsAtOnce() async {
        let value = await withWaiter { (_: Waiter<Int>) in
            5
        } onCancel: { _ in
        }
        #expect(value == 5)
    }

    @Test("a cancelled task leaves the table, and the others wait on")
    func cancels() async throws {
        let stays = Task { await room.wait() }
        try await eventually { room.count == 1 }
        let leaves = Task { await room.wait() }
        try await eventually { room.count == 2 }
        leaves.cancel()
        #expect(await leaves.value == "cancelled")
        #expect(room.count == 1)
        room.resumeAll(with: "done")
        #expect(await stays.value == "done")
    }

    @Test("a task that is cancelled before it waits is told so once, after it was put into the table")
    func cancelsBefore() async {
        let events = Mutex<[String]>([])
        let start = Signal()
        let task = Task {
            await start.hang()
            let waiting = Mutex<Waiter<Void>?>(nil)
            await withWaiter { waiter in
                waiting.withLock { $0 = waiter }
                events.withLock { $0.append("waits") }
                return nil
            } onCancel: { id in
                events.withLock { $0.append("cancelled") }
                let waiter = waiting.withLock(\.self)
                #expect(waiter?.id == id)
                waiter?.resume()
            }
        }
        task.cancel()
        start.send()
        await task.value
        #expect(events.withLock(\.self) == ["waits", "cancelled"])
    }

    @Test("a task that has its value at once is not told of its cancellation")
    func noCancelWithValue() async {
        let start = Signal()
        let task = Task {
            await start.hang()
            return await withWaiter { (_: Waiter<Int>) in
                5
            } onCancel: { _ in
                Issue.record("told")
            }
        }
        task.cancel()
        start.send()
        #expect(await task.value == 5)
    }

    @Test("cancellation does not end a wait that has no answer for it")
    func uncancellable() async throws {
        let waiting = Mutex<Waiter<Int>?>(nil)
        let task = Task { await withWaiter { waiter in waiting.withLock { $0 = waiter } } }
        try await eventually { waiting.withLock { $0 != nil } }
        task.cancel()
        waiting.withLock(\.self)?.resume(returning: 5)
        #expect(await task.value == 5)
    }

    @Test("cancellation and resumption race, and the task is resumed once")
    func races() async throws {
        for run in runs {
            let task = Task { await room.wait() }
            if run % 2 == 0 { try await eventually { room.count == 1 } }
            async let cancelled: Void = Task { task.cancel() }.value
            async let resumed: Void = Task { room.resumeAll(with: "done") }.value
            _ = await (cancelled, resumed)
            #expect(["done", "cancelled"].contains(await task.value))
            #expect(room.count == 0)
        }
    }

    @Test("the waiters whose notes satisfy a condition are taken out, and the others stay")
    func conditions() async throws {
        let tasks = (0..<10).map { note in Task { await room.wait(note) } }
        try await eventually { room.count == 10 }
        #expect(room.table.withLock { $0.notes.sorted() } == Array(0..<10))
        let due = room.table.withLock { $0.removeAll { $0 % 2 == 0 } }
        for waiter in due { waiter.resume(returning: "even") }
        #expect(room.table.withLock { $0.notes.sorted() } == [1, 3, 5, 7, 9])
        room.resumeAll(with: "odd")
        for (note, task) in tasks.enumerated() { #expect(await task.value == (note % 2 == 0 ? "even" : "odd")) }
    }

    @Test("the first that is taken out has waited longest")
    func order() async throws {
        var tasks: [Task<String, Never>] = []
        for note in 0..<10 {
            tasks.append(Task { await room.wait(note) })
            try await eventually { room.count == note + 1 }
        }
        for note in 0..<10 {
            let first = room.table.withLock { $0.removeFirst() }
            #expect(first?.note == note)
            first?.waiter.resume(returning: "done")
        }
        #expect(room.table.withLock { $0.isEmpty && $0.removeFirst() == nil })
        for task in tasks { #expect(await task.value == "done") }
    }
}
