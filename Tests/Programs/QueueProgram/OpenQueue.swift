import Base
import Jobs
import Settings

/// Opens the queue that a command line names: `sqlite:PATH`, or the URL of a Redis.
func openQueue(_ name: String) async throws -> any JobQueue {
    let limits = QueueLimits(backlog: 1_000_000, replyTime: .seconds(3600))
    return try await QueueEngines.address(name)
        .open(limits, isStrict: false, isGuest: false, recorder: NoRecorder<QueueEvent>())
}
