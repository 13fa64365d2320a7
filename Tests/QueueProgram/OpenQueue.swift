import Jobs
import JobsSQLite

/// The queue that a command line names: `sqlite:PATH`.
func openQueue(_ name: String) async throws -> any JobQueue {
    let limits = QueueLimits(backlog: 1_000_000, replyTime: .seconds(3600))
    let path = name.split(separator: ":", maxSplits: 1).last.map(String.init) ?? name
    return try await SQLiteJobQueue.open(path, limits: limits)
}
