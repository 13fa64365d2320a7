import Jobs
import Synchronization

/// Enqueues, leases, starts and answers jobs without end. Each acknowledged step is said: `enqueued ID`, `finished ID`.
struct Churn {
    let queue: any JobQueue
    /// What the names of this run's jobs begin with.
    let prefix: String

    func run() async throws {
        let counter = Counter()
        try await withThrowingDiscardingTaskGroup { group in
            for _ in 0..<8 { group.addTask { try await produce(counter) } }
            for _ in 0..<4 { group.addTask { try await work() } }
        }
    }

    private func produce(_ counter: Counter) async throws {
        while true {
            let job = Job(id: "\(prefix)-\(counter.next())", timeLimit: .seconds(3600), content: [1, 2, 3])
            if try await queue.enqueue(job) == .accepted { say("enqueued \(job.id)") }
        }
    }

    private func work() async throws {
        while true {
            for leased in try await queue.lease(5, waiting: .seconds(1)) {
                guard try await queue.start(leased.lease) else { continue }
                let reply = JobReply(.ok, body: [UInt8](leased.job.id.utf8))
                if try await queue.finish(leased.lease, with: reply) { say("finished \(leased.job.id)") }
            }
        }
    }
}

/// Numbers from 0 up, each once.
final class Counter: Sendable {
    private let value = Atomic(0)

    /// How many were given.
    var count: Int { value.load(ordering: .relaxed) }

    @discardableResult
    func next() -> Int { value.wrappingAdd(1, ordering: .relaxed).oldValue }
}
