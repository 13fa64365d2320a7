import Foundation
import Glibc
import Jobs
import Media
import Timing

/// A producer whose jobs are followed from the acknowledgement to the answer, while the queue's server may die.
///
/// It prints each event with the milliseconds of the machine's clock: `accepted`, `refused` for a call that failed and
/// is repeated, `answered`, `lost` for an acknowledged job that the queue no longer knows, and `changed` for an answer
/// that is another one in the end.
struct TracedJobs {
    let queue: any JobQueue
    /// The beginning of the names of this run's jobs.
    let prefix: String
    let jobs: Int

    /// The number of jobs in progress at once.
    private static let width = 64
    /// The time after which a job without an answer counts as lost.
    private static let timeLimit = Duration.seconds(120)

    func run() async throws {
        let numbers = Counter()
        try await withThrowingDiscardingTaskGroup { group in
            for _ in 0..<Self.width {
                group.addTask {
                    while case let number = numbers.next(), number < jobs { try await follow("\(prefix)-\(number)") }
                }
            }
        }
    }

    private func follow(_ id: String) async throws {
        let job = Job(id: id, timeLimit: Self.timeLimit, content: [1, 2, 3])
        try await insist(id) { try await queue.enqueue(job) }
        note("accepted", id)
        guard let first = try await answer(to: job) else { return note("lost", id) }
        note("answered", id)
        if try await answer(to: job) != first { note("changed", id) }
    }

    /// Waits for the answer. Returns `nil` if the queue does not know the job.
    private func answer(to job: Job) async throws -> JobReply? {
        let end = ContinuousClock.now + Self.timeLimit
        while ContinuousClock.now < end {
            switch try await insist(job.id, { try await queue.state(of: job.name, waiting: .seconds(1)) }) {
            case .finished(let reply): return reply
            case .unknown: return nil
            case .waiting, .running: continue
            }
        }
        return nil
    }

    @discardableResult
    private func insist<Value>(_ id: String, _ call: () async throws -> Value) async throws -> Value {
        while true {
            do {
                return try await call()
            } catch let error as JobQueueError where error.reason == .unavailable {
                note("refused", id)
            }
        }
    }

    private func note(_ event: String, _ id: String) {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        say("\(event) \(id) \(time.tv_sec * 1000 + time.tv_nsec / 1_000_000)")
    }
}
