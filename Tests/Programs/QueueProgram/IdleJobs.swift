import Glibc
import Jobs

/// A measure of the queue's own cost: many producers and four workers enqueue, lease, start and answer jobs at once,
/// while others wait behind them.
struct IdleJobs {
    let queue: any JobQueue
    let waiting: Int
    let jobs: Int

    private static let content = [UInt8](repeating: UInt8(ascii: "x"), count: 700)

    func run() async throws {
        try await inParallel(waiting) { number in
            try await enqueue("waiting-\(number)", within: .seconds(3600))
        }
        let clock = ContinuousClock()
        let (start, busy) = (clock.now, processorTime())
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask {
                try await inParallel(jobs) { number in try await enqueue("job-\(number)", within: .seconds(60)) }
            }
            let answered = Counter()
            for _ in 0..<4 { group.addTask { try await work(answered) } }
        }
        let perSecond = Double(jobs) / ((clock.now - start) / .seconds(1))
        let cost = (processorTime() - busy) / .microseconds(jobs)
        say(#"{"waiting": \#(waiting), "jobs_per_second": \#(Int(perSecond)), "microseconds_per_job": \#(Int(cost))}"#)
    }

    /// Returns the processor time of all threads of this process, which doesn't depend on other work of the machine.
    private func processorTime() -> Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    private func enqueue(_ id: String, within timeLimit: Duration) async throws {
        _ = try await queue.enqueue(Job(id: id, timeLimit: timeLimit, content: Self.content))
    }

    private func work(_ answered: Counter) async throws {
        while answered.count < jobs {
            let leased = try await queue.lease(16, waiting: .milliseconds(100))
            try await withThrowingDiscardingTaskGroup { group in
                for job in leased {
                    group.addTask {
                        _ = try await queue.start(job.lease)
                        _ = try await queue.finish(job.lease, with: JobReply(.ok, body: job.job.content))
                        answered.next()
                    }
                }
            }
        }
    }

    /// Calls `body` with each number below `count`, 64 calls at a time.
    private func inParallel(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
        let numbers = Counter()
        try await withThrowingDiscardingTaskGroup { group in
            for _ in 0..<64 {
                group.addTask {
                    while true {
                        let number = numbers.next()
                        guard number < count else { return }
                        try await body(number)
                    }
                }
            }
        }
    }
}
