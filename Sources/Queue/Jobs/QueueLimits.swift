/// How much a queue holds, and for how long.
package struct QueueLimits: Sendable, Equatable {
    /// The number of jobs that wait or are worked on, and of answers that are still to be posted. One more job is refused.
    package var backlog: Int
    /// Of these, how many one tenant may have.
    package var tenantBacklog: Int
    /// The bytes of answers that are still to be posted; while there are as many, jobs are refused.
    package var answerBytes: Int
    /// A lease that isn't renewed for so long is lost.
    package var leaseTime: Duration
    /// How long an answer is kept.
    package var replyTime: Duration
    /// How long posting a callback may take; then it is leased to another worker.
    package var callbackTime: Duration

    package init(
        backlog: Int = 100_000,
        tenantBacklog: Int? = nil,
        answerBytes: Int? = nil,
        leaseTime: Duration = .seconds(3),
        replyTime: Duration = .seconds(60),
        callbackTime: Duration = .seconds(30),
    ) {
        self.backlog = backlog
        self.tenantBacklog = tenantBacklog ?? backlog
        // Room for as many of some size: only answers that are much larger meet this limit first.
        self.answerBytes = answerBytes ?? max(1, min(backlog, 1 << 32)) * 8192
        self.leaseTime = leaseTime
        self.replyTime = replyTime
        self.callbackTime = callbackTime
    }
}

extension Job {
    /// Refuses what no queue takes.
    package func check() throws(JobQueueError) {
        for (what, name) in [("id", id), ("tenant", tenant)] {
            guard (1...Self.nameByteLimit).contains(name.utf8.count) else {
                throw JobQueueError(.badJob, "A job's \(what) has 1 to \(Self.nameByteLimit) bytes.")
            }
        }
        guard content.count <= Self.contentByteLimit else {
            throw JobQueueError(
                .badJob,
                "A job has at most \(Self.contentByteLimit) bytes; larger content goes by URL."
            )
        }
        guard timeLimit > .zero, timeLimit <= Self.longestTimeLimit else {
            throw JobQueueError(.badJob, "A job's deadline must be above 0, and at most a day.")
        }
    }
}
