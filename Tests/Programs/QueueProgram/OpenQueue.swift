import Jobs
import JobsRedis
import JobsSQLite

/// Opens the queue that a command line names: `sqlite:PATH`, or the URL of a Redis.
func openQueue(_ name: String) async throws -> any JobQueue {
    let limits = QueueLimits(backlog: 1_000_000, replyTime: .seconds(3600))
    guard name.hasPrefix("sqlite:") else {
        return try RedisJobQueue(RedisSettings(url: name), limits: limits)
    }
    return try await SQLiteJobQueue.open(String(name.dropFirst("sqlite:".count)), limits: limits)
}
