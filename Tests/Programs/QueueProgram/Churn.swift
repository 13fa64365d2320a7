import Base
import Jobs
import Media
import Synchronization

/// A load without end: it enqueues jobs, and a worker answers them. Each acknowledged step is printed: `enqueued ID`,
/// `finished ID`.
struct Churn {
    let queue: any JobQueue
    /// The beginning of the names of this run's jobs.
    let prefix: String

    func run() async throws {
        let counter = Counter()
        try await withThrowingDiscardingTaskGroup { group in
            for _ in 0..<8 { group.addTask { try await produce(counter) } }
            group.addTask { try await EchoWorker(queue: queue).run() }
        }
    }

    private func produce(_ counter: Counter) async throws {
        while true {
            let job = Job(id: "\(prefix)-\(counter.next())", timeLimit: .seconds(3600), content: [1, 2, 3])
            if try await queue.enqueue(job) == .accepted { say("enqueued \(job.id)") }
        }
    }
}

/// A source of the numbers from 0 up, each once.
final class Counter: Sendable {
    private let value = Atomic(0)

    /// The number of numbers taken.
    var count: Int { value.load(ordering: .relaxed) }

    @discardableResult
    func next() -> Int { value.wrappingAdd(1, ordering: .relaxed).oldValue }
}
