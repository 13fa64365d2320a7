import Events
import Jobs
import Media
import Synchronization
import Timing
import Worker

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
            let limits = WorkerLimits(slots: 4)
            let worker = WorkerService(queue: queue, handler: Echo(), limits: limits, instrument: Announcement())
            group.addTask { try await worker.run() }
        }
    }

    private func produce(_ counter: Counter) async throws {
        while true {
            let job = Job(id: "\(prefix)-\(counter.next())", timeLimit: .seconds(3600), content: [1, 2, 3])
            if try await queue.enqueue(job) == .accepted { say("enqueued \(job.id)") }
        }
    }
}

/// An instrument that prints each answered job.
private struct Announcement: Instrument {
    func record(_ event: WorkerEvent) {
        if case .answered(let name, .ok, _, _) = event { say("finished \(name.id)") }
    }
}

/// A handler that answers each job with its name.
private struct Echo: JobHandler {
    func answer(_ job: LeasedJob, until deadline: Instant) async -> JobReply {
        JobReply(.ok, body: [UInt8](job.job.id.utf8))
    }

    func answerWithoutWork(_ job: LeasedJob, _ status: JobReply.Status) -> JobReply { JobReply(status, body: []) }
}

/// A source of the numbers from 0 up, each once.
final class Counter: Sendable {
    private let value = Atomic(0)

    /// The number of numbers taken.
    var count: Int { value.load(ordering: .relaxed) }

    @discardableResult
    func next() -> Int { value.wrappingAdd(1, ordering: .relaxed).oldValue }
}
