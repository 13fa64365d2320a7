import Base
import Jobs
import JobsContract
import JobsRedis
import Media
import Support
import Synchronization

/// A new queue on a server that many tests share.
final class RedisStore: QueueStore {
    let settings: RedisSettings
    private let queues = Mutex<[RedisJobQueue]>([])

    init(_ server: RedisServer, user: String? = nil, password: String? = nil) {
        settings = RedisSettings(
            port: server.port,
            user: user,
            password: password.map { Secret($0) },
            usesTLS: server.authoritiesFile != nil,
            authoritiesFile: server.authoritiesFile,
            lane: "test-\(UInt64.random(in: 0...UInt64.max))",
            timeLimit: .seconds(20),
            connectLimit: .seconds(20),
        )
    }

    func open(as worker: String, _ limits: QueueLimits) async throws -> any JobQueue { try queue(limits) }

    func queue(_ limits: QueueLimits = QueueLimits()) throws -> RedisJobQueue {
        let queue = try RedisJobQueue(settings, limits: limits)
        queues.withLock { $0.append(queue) }
        return queue
    }

    func close() async throws {
        let open = queues.withLock { queues in
            defer { queues = [] }
            return queues
        }
        for queue in open { try? await queue.leave() }
    }
}
