/// How much a queue holds, and for how long.
package struct QueueLimits: Sendable, Equatable {
    /// Jobs that wait or are worked on; one more is refused.
    package var backlog: Int
    /// Of these, how many one tenant may have.
    package var tenantBacklog: Int
    /// A lease that isn't renewed for so long is lost.
    package var leaseTime: Duration
    /// How long an answer is kept.
    package var replyTime: Duration
    /// How long posting a callback may take; then it is leased to another worker.
    package var callbackTime: Duration

    package init(
        backlog: Int = 100_000,
        tenantBacklog: Int? = nil,
        leaseTime: Duration = .seconds(3),
        replyTime: Duration = .seconds(60),
        callbackTime: Duration = .seconds(30),
    ) {
        self.backlog = backlog
        self.tenantBacklog = tenantBacklog ?? backlog
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
