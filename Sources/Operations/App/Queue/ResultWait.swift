package import Jobs
package import Timing

/// The wait for the results of jobs that this process has enqueued. It ends soon after each job's deadline at the latest:
/// a queue without a worker never answers.
package struct ResultWait: Sendable {
    /// The end of the wait for one job.
    package enum Outcome: Sendable, Equatable {
        case finished(JobReply)
        /// The queue no longer keeps the job's answer.
        case unknown
        /// The job has no answer, although its deadline has passed. `isTaken` tells whether a worker works on it.
        case late(isTaken: Bool)
    }

    /// The time after which a job that no worker has taken is worth a word.
    package static let notice: Duration = .seconds(2)
    /// The time after its deadline in which a job may still be answered: by a worker that takes over another one's jobs.
    package static let grace: Duration = .seconds(5)
    /// The shortest time between two questions about a job.
    private static let pause: Duration = .milliseconds(200)
    /// The longest time of one question.
    private static let longestQuestion: Duration = .seconds(10)

    private let time: any TimeSource
    /// Returns the state of a job. Waits up to the given time for its answer.
    private let state: @Sendable (JobName, Duration) async throws -> JobState

    package init(
        time: any TimeSource = SystemTime(),
        state: @escaping @Sendable (JobName, Duration) async throws -> JobState,
    ) {
        self.time = time
        self.state = state
    }

    /// Waits for the answer to a job. Calls `notify` once if no worker has taken the job for a while.
    package func outcome(
        of name: JobName,
        deadline: Instant,
        notify: () async -> Void,
    ) async throws -> Outcome {
        let end = deadline + Self.grace
        var noticeTime: Instant? = time.now + Self.notice
        while true {
            let asked = time.now
            let patience = max(.zero, min(Self.longestQuestion, min(noticeTime ?? end, end) - asked))
            let state = try await state(name, patience)
            switch state {
            case .finished(let reply): return .finished(reply)
            case .unknown: return .unknown
            case .waiting, .running: break
            }
            if let due = noticeTime, time.now >= due {
                noticeTime = nil
                if state == .waiting { await notify() }
            }
            guard time.now < end else { return .late(isTaken: state == .running) }
            // A busy server answers before the time is over, and a file at once.
            if time.now < asked + patience { try await time.sleep(until: min(end, time.now + Self.pause)) }
        }
    }
}
