import Base
import Support
import Synchronization
import Testing

@Suite("A semaphore for tasks", .timeLimit(.minutes(10)))
struct AsyncSemaphoreTests {
    /// The numbers of tasks inside now, inside at most, and in all.
    private final class Visits: Sendable {
        private let counts = Mutex((inside: 0, most: 0, total: 0))

        var most: Int { counts.withLock(\.most) }
        var total: Int { counts.withLock(\.total) }

        func enter() {
            counts.withLock { counts in
                counts.inside += 1
                counts.most = max(counts.most, counts.inside)
                counts.total += 1
            }
        }

        func leave() { counts.withLock { $0.inside -= 1 } }
    }

    private final class Log: Sendable {
        let numbers = Mutex<[Int]>([])
    }

    @Test("no more tasks are in than there are permits, and all get one", arguments: [1, 2, 5])
    func limits(permits: Int) async {
        let semaphore = AsyncSemaphore(permits: permits)
        let visits = Visits()
        await withDiscardingTaskGroup { group in
            for _ in 0..<1000 {
                group.addTask {
                    guard (try? await semaphore.acquire()) != nil else { return }
                    visits.enter()
                    await Task.yield()
                    visits.leave()
                    semaphore.release()
                }
            }
        }
        #expect(visits.most <= permits)
        #expect(visits.total == 1000)
    }

    @Test("a cancelled task leaves the line without a permit")
    func cancels() async throws {
        let semaphore = AsyncSemaphore(permits: 1)
        try await semaphore.acquire()
        let leaves = Task { try await semaphore.acquire() }
        try await eventually { semaphore.waiterCount == 1 }
        leaves.cancel()
        await #expect(throws: CancellationError.self) { try await leaves.value }
        semaphore.release()
        try await semaphore.acquire()
    }

    @Test("permits go to those who wait longest")
    func order() async throws {
        let semaphore = AsyncSemaphore(permits: 1)
        try await semaphore.acquire()
        let log = Log()
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<10 {
            tasks.append(
                Task {
                    try await semaphore.acquire()
                    log.numbers.withLock { $0.append(number) }
                    semaphore.release()
                }
            )
            try await eventually { semaphore.waiterCount == number + 1 }
        }
        semaphore.release()
        for task in tasks { try await task.value }
        #expect(log.numbers.withLock(\.self) == Array(0..<10))
    }

    @Test("no permit is lost when cancellation and release race")
    func races() async throws {
        for run in runs {
            let semaphore = AsyncSemaphore(permits: 1)
            try await semaphore.acquire()
            let task = Task { try await semaphore.acquire() }
            if run % 2 == 0 { await Task.yield() }
            async let cancelled: Void = Task { task.cancel() }.value
            async let released: Void = Task { semaphore.release() }.value
            _ = await (cancelled, released)
            if case .success = await task.result { semaphore.release() }
            try await semaphore.acquire()
        }
    }
}
