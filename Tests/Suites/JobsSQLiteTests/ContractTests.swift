import Jobs
import JobsContract
import JobsSQLite
import Support
import Synchronization
import Testing

@Suite("The queue on SQLite", .timeLimit(.minutes(10)))
struct ContractTests {
    @Test("the queue keeps its contract", arguments: QueueRule.all)
    func rule(_ rule: QueueRule) async throws {
        try await rule.check(FileStore())
    }
}

/// A queue file in its own folder. Its workers share one queue, as in a process.
private final class FileStore: QueueStore {
    private let folder: TemporaryFolder
    private let queue = Mutex<SQLiteJobQueue?>(nil)

    init() throws { folder = try TemporaryFolder() }

    func open(as worker: String, _ limits: QueueLimits) async throws -> any JobQueue {
        if let queue = queue.withLock(\.self) { return queue }
        let opened = try await SQLiteJobQueue.open(folder.path + "/queue.sqlite", limits: limits)
        queue.withLock { $0 = opened }
        return opened
    }

    func close() async throws {
        let opened = queue.withLock { $0.take() }
        await opened?.close()
    }
}
