import Media
import RedisWire
import Synchronization
import Timing

/// Commands that go to the server together, and the replies that come back, one for each and in their order.
final class Exchange: Sendable {
    let commands: [RedisCommand]
    /// When the connection is given up if the replies aren't there.
    let deadline: Instant
    private let replies = Mutex<[RedisReply]>([])
    private let outcome = OneShot<[RedisReply]>()

    init(_ commands: [RedisCommand], deadline: Instant) {
        self.commands = commands
        self.deadline = deadline
    }

    /// Takes the next reply. Whether it was the last one; whoever waited may have left long before.
    func take(_ reply: RedisReply) -> Bool {
        let all = replies.withLock { replies in
            replies.append(reply)
            return replies
        }
        guard all.count == commands.count else { return false }
        outcome.settle(.success(all))
        return true
    }

    func fail(_ failure: RedisFailure) { outcome.settle(.failure(failure)) }

    func value() async throws -> [RedisReply] { try await outcome.value() }
}
