import Concurrency
import Media
import Synchronization
import Timing

/// A group of commands that is sent together, and its replies: one for each command, in the same order.
final class Exchange: Sendable {
    let commands: [RedisCommand]
    /// The time at which the connection is closed if replies are missing.
    let deadline: Instant
    private let replies = Mutex<[RedisReply]>([])
    private let outcome = OneShot<Result<[RedisReply], any Error>>()

    init(_ commands: [RedisCommand], deadline: Instant) {
        self.commands = commands
        self.deadline = deadline
    }

    /// Takes the next reply. Returns whether it was the last one. The waiting task may have been cancelled long before.
    func take(_ reply: RedisReply) -> Bool {
        let all = replies.withLock { replies in
            replies.append(reply)
            return replies
        }
        guard all.count == commands.count else { return false }
        outcome.set(.success(all))
        return true
    }

    func fail(_ failure: RedisError) { outcome.set(.failure(failure)) }

    func value() async throws -> [RedisReply] { try await outcome.get() }
}
